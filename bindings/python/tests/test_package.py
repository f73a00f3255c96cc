# SPDX-License-Identifier: Apache-2.0
"""How the package is laid out and loaded. GPUSTREAM_TEST_WHEEL names a wheel, which must look the same."""
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import gpustream
import pytest
from support.native import ROOT

FOLDER = Path(gpustream.__file__).parent  # not resolved: the files may be links to their sources
PURE = {"__init__.py", "__main__.py", "_callbacks.py", "_crc.py", "_cudart.py", "_current.py", "_debug.py", "_demo.py", "_devices.py",
        "_event.py", "_extend.py", "_lazy.py", "_load.py", "_properties.py", "_stream.py", "_telemetry.py", "_timeline.py", "_work.py",
        "errors.py", "generic.py", "interop.py", "py.typed", "__init__.pyi", "errors.pyi", "generic.pyi", "interop.pyi", "_core.pyi"}
NATIVE = {"libgpustream.so.0", "_demo_kernels.so", "_demo_kernels.ptx"}


def names_in_wheel():
    path = os.environ.get("GPUSTREAM_TEST_WHEEL")
    if not path:
        return None
    with zipfile.ZipFile(path) as wheel:
        return [name.removeprefix("gpustream/") for name in wheel.namelist() if name.startswith("gpustream/")]


def test_layout():
    found = names_in_wheel() or [path.name for path in FOLDER.iterdir() if path.name != "__pycache__"]
    extensions = [name for name in found if name.startswith("_core.") and name.endswith(".so")]
    assert len(extensions) == 1 and re.fullmatch(r"_core\.cpython-3\d+-x86_64-linux-gnu\.so", extensions[0])
    assert set(found) - {extensions[0], "LICENSE"} == PURE | NATIVE
    assert sum("libgpustream" in name for name in found) == 1


def test_every_source_is_listed():
    source = ROOT / "bindings/python/src/gpustream"
    assert {path.name for path in source.iterdir() if path.name != "__pycache__"} == PURE


def dynamic(path):
    return subprocess.run(["readelf", "-d", str(path)], capture_output=True, text=True, check=True).stdout


def test_one_library_is_needed_and_found_beside():
    extension = next(FOLDER.glob("_core.*.so"))
    assert re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic(extension))[0] == "libgpustream.so.0"
    assert re.search(r"\((RUNPATH|RPATH)\).*\[\$ORIGIN\]", dynamic(extension))
    assert "[libgpustream.so.0]" in re.search(r"\(SONAME\).*", dynamic(FOLDER / "libgpustream.so.0")).group()
    assert not (FOLDER / "libgpustream.so.0").is_symlink()


def test_only_the_module_is_exported():
    extension = next(FOLDER.glob("_core.*.so"))
    table = subprocess.run(["nm", "-D", "--defined-only", str(extension)], capture_output=True, text=True, check=True).stdout
    assert [line.split()[-1] for line in table.splitlines()] == ["PyInit__core"]


def test_version_is_the_headers():
    header = (ROOT / "include/gpustream.h").read_text(encoding="utf-8")
    numbers = [re.search(rf"#define GS_VERSION_{part} (\d+)", header).group(1) for part in ("MAJOR", "MINOR", "PATCH")]
    assert gpustream.__version__ == ".".join(numbers)
    if "GPUSTREAM_TEST_WHEEL" in os.environ:
        assert Path(os.environ["GPUSTREAM_TEST_WHEEL"]).name.startswith(f"gpustream-{gpustream.__version__}-cp")


def test_a_library_in_the_process_serves(run_python, tmp_path):
    """Whoever loads the library first, everybody uses that copy."""
    copy = tmp_path / "libgpustream.so.0"
    copy.write_bytes((FOLDER / "libgpustream.so.0").read_bytes())
    out = run_python(f"""
import ctypes, sys
library = ctypes.CDLL({str(copy)!r})
import gpustream
assert gpustream._instance_count() == 1
stream = ctypes.c_void_p()
assert library.gs_stream_create(0, 0, 0, ctypes.byref(stream)) == 0
library.gs_set_current_stream.argtypes = [ctypes.c_void_p]
assert library.gs_set_current_stream(stream) == 0
print(gpustream.current_stream().stream_id == stream.value)
""")
    assert out.strip() == "True"


def test_a_library_named_by_the_environment(run_python, tmp_path):
    copy = tmp_path / "mine.so"
    copy.write_bytes((FOLDER / "libgpustream.so.0").read_bytes())
    out = run_python("import gpustream; print(gpustream._instance_count(), 'mine.so' in open('/proc/self/maps').read())",
                     GPUSTREAM_LIBRARY=str(copy))
    assert out.split() == ["1", "True"]
    out = run_python("import gpustream", GPUSTREAM_LIBRARY="/nonexistent/x.so", status=1)
    assert "ImportError: GPUSTREAM_LIBRARY=/nonexistent/x.so" in out


def test_importing_twice_and_reloading(run_python):
    run_python("""
import importlib, sys
import gpustream
stream = gpustream.Stream()
again = importlib.reload(gpustream)
assert again is gpustream and isinstance(stream, gpustream.Stream)
with stream:
    assert gpustream.current_stream() == stream
""")


def test_swigs_type_table_is_our_own():
    """SWIG modules share one table by default, and fail to import beside others that were built in another way."""
    runtime = [module for name, module in sys.modules.items() if name.startswith("swig_runtime_data")]
    tables = [name for module in runtime for name in dir(module) if name.startswith("type_pointer_capsule")]
    assert len(tables) == 1 and tables[0].endswith("gpustream")


@pytest.mark.parametrize("module", ["errors", "generic", "interop"])
def test_public_modules_are_attributes(module):
    assert getattr(gpustream, module).__name__ == f"gpustream.{module}"
