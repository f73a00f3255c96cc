# SPDX-License-Identifier: Apache-2.0
"""A function that is added to the header reaches gpustream._core with no other edit: struct in and out, counted arrays,
callback, handles, truth. In a copy of the tree, whose extension holds the function's body as well."""
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import gpustream
import pytest
from support.native import ROOT

SUPPORT = Path(__file__).parent / "support"
TOOLS = f"{Path(sys.executable).parent}:{ROOT / '.venv/bin'}"

USE = """
import ctypes, itertools, sys
import gpustream
create = gpustream._core.gs_widget_create
called = []
notice = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(called.append)
address = ctypes.cast(notice, ctypes.c_void_p).value
stream = gpustream.Stream()
options = dict(level=3, scale=2.5, name="hello", sizes=(1, 2, 2**60))

info, widget, same, named, doubled, count = create([stream, stream], options, address, 7, 2)
assert {key: info[key] for key in ("level", "label", "key", "sizes")} == {
    "level": 8, "label": "hello", "key": bytes([1, 2, 3, 4]), "sizes": [1, 2, 2**60]}
assert widget == 0x123456789abcdef and same == stream and type(same) is gpustream.Stream and named is True
assert doubled == [2, 4] and count == 3 and called == [7]
assert create((stream,), {}, address, None, 9)[3:] == [False, [0, 0, 0], 3] and called == [7, None]

class Foreign:
    cuda_stream = stream.cuda_stream
assert create([Foreign()], options, address, 7, 0)[2] == stream

for wrong, error in [
    (lambda: create([3], options, address, 7, 2), TypeError), (lambda: create(stream, options, address, 7, 2), TypeError),
    (lambda: create(itertools.count(), options, address, 7, 2), TypeError), (lambda: create([stream], {"sizes": iter(int, 1)}, address, 7, 2), TypeError),
    (lambda: create([stream], {"name": "a\\0b"}, address, 7, 2), ValueError),
    (lambda: create([stream], {"colour": 1}, address, 7, 2), TypeError), (lambda: create([stream], {"sizes": [1]}, address, 7, 2), ValueError),
    (lambda: create([stream], {"level": 2**40}, address, 7, 2), OverflowError), (lambda: create([stream], [], address, 7, 2), TypeError),
    (lambda: create([stream], {"name": 5}, address, 7, 2), TypeError), (lambda: create([stream], options, "fn", 7, 2), TypeError),
    (lambda: create([stream], options, address, 7, -1), OverflowError), (lambda: create([], options, address, 7, 2), gpustream.InvalidArgumentError),
]:
    try:
        wrong()
    except error as caught:
        assert type(caught) is error, caught
    else:
        raise SystemExit(f"not refused: {error}")

counts = sys.getrefcount(stream), sys.getrefcount(options), sys.getrefcount(options["sizes"])
for _ in range(1000):
    create([stream, stream], options, address, 7, 2)
    try:
        create([stream, 3], options, address, 7, 2)
    except TypeError:
        pass
assert counts == (sys.getrefcount(stream), sys.getrefcount(options), sys.getrefcount(options["sizes"]))
print("reached")
"""


def tool(name):
    found = shutil.which(name, path=TOOLS) or shutil.which(name)
    if not found:
        pytest.skip(f"no {name}: this test is for the interpreter of .venv")
    return found


def run(*command):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    """A copy of what the extension is made of, with the function in its header."""
    tree = tmp_path_factory.mktemp("tree")
    for part in ("include", "api", "bindings/swig", "bindings/native", "bindings/python/native", "bindings/python/src"):
        shutil.copytree(ROOT / part, tree / part, ignore=shutil.ignore_patterns("__pycache__"))
    header = tree / "include/gpustream/work.h"
    text = header.read_text(encoding="utf-8")
    place = text.rindex("/**", 0, text.index("GS_API gs_status_t gs_kernel_launch"))
    header.write_text(text[:place] + (SUPPORT / "new_function.h").read_text(encoding="utf-8") + text[place:], encoding="utf-8")
    return tree


@pytest.fixture(scope="module")
def package(tree):
    swig = tool("swig")
    tool("clang-format")
    run(ROOT / ".venv/bin/python" if (ROOT / ".venv").exists() else sys.executable, ROOT / "scripts/generate", "--only", "python", "--root", tree)
    package = tree / "package/gpustream"
    shutil.copytree(Path(gpustream.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__", "_core.*.so"))
    run(swig, "-python", "-O", "-threads", "-DSWIGWORDSIZE64", "-interface", "_core", f"-I{tree}/bindings/swig", f"-I{tree}/include", "-outdir", tree,
        "-module", "_core", "-o", tree / "wrap.c", tree / "bindings/swig/python.i")
    native = tree / "bindings/python/native"
    run("cc", "-O0", "-shared", "-fPIC", "-fvisibility=hidden", "-w", "-DSWIG_TYPE_TABLE=gpustream", f"-I{tree}/include", f"-I{tree}/bindings",
        f"-I{native}", f"-I{sysconfig.get_paths()['include']}", tree / "wrap.c", SUPPORT / "new_function.c", *sorted(native.glob("*.c")),
        tree / "bindings/native/mailbox.c", "-pthread", "-o", package / f"_core{sysconfig.get_config_var('EXT_SUFFIX')}",
        package / "libgpustream.so.0", "-Wl,-rpath,$ORIGIN")
    return package


def test_it_reaches_the_extension(package):
    done = subprocess.run([sys.executable, "-X", "faulthandler", "-c", USE], capture_output=True, text=True, cwd=package.parent)
    assert done.returncode == 0 and done.stdout == "reached\n", done.stdout + done.stderr


def test_it_is_in_the_stub_and_releases_the_gil(package, tree):
    stub = (tree / "bindings/python/src/gpustream/_core/functions.pyi").read_text(encoding="utf-8")
    assert "def gs_widget_create(streams: Sequence[Any], options: dict[str, Any], fn: SupportsIndex | None," in stub
    assert "\nGS_RELEASES_GIL(gs_widget_create)\n" in (tree / "bindings/swig/python_api.i").read_text(encoding="utf-8")
    assert "gs_widget_create" in stub and "gs_widget_create" not in (ROOT / "bindings/swig/python_api.i").read_text(encoding="utf-8")
