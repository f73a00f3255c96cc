# SPDX-License-Identifier: Apache-2.0
"""An installation that cannot work says what is wrong and what to do."""
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import gpustream
from gpustream._load_hints import hint

FOLDER = Path(gpustream.__file__).absolute().parent  # not resolved: the files may be links to their sources
LIBRARY = "libgpustream.so.0"
MACHINE = 18  # of an ELF header
MACHINES = {"x86_64": 62, "aarch64": 183}


@pytest.mark.parametrize("text, wanted", [
    ("/lib/x86_64-linux-gnu/libc.so.6: version `GLIBC_2.38' not found (required by _core.so)", "needs a newer glibc than this system's"),
    ("libgpustream.so.0: failed to map segment from shared object", "mounted noexec"),
    ("Error relocating /usr/lib/_core.so: __vsnprintf_chk: symbol not found", "another C library (musl?): install the wheel for musl"),
    ("Error loading shared library ld-linux-x86-64.so.2: No such file or directory (needed by _core.so)", "another C library (musl?): install the wheel for musl"),
    ("libc.so: invalid ELF header", "is for musl, and this Python uses another C library"),
    ("libc.musl-x86_64.so.1: cannot open shared object file: No such file or directory", "is for musl, and this Python uses another C library"),
    ("Error relocating /usr/lib/_core.so: gs_new_function: symbol not found", "older than this package"),
    ("_core.so: wrong ELF class: ELFCLASS32", "another processor"),
    ("_core.so: undefined symbol: gs_new_function", "older than this package"),
    ("_core.so: undefined symbol: PyObject_Unknown", ""),
])
def test_texts_of_loaders(text, wanted):
    advice = hint(text, str(FOLDER))
    assert wanted in advice and bool(advice) == bool(wanted)


def test_another_library(run_python):
    out = run_python("import gpustream", GPUSTREAM_LIBRARY="libm.so.6", status=1)
    assert "ImportError: GPUSTREAM_LIBRARY=libm.so.6 is not libgpustream: it has no function gs_abi_version" in out


def copy_of_package(tmp_path):
    return Path(shutil.copytree(FOLDER, tmp_path / "gpustream", symlinks=False))


def failing_import(tmp_path):
    """The last line of what Python prints."""
    environment = {key: value for key, value in os.environ.items() if key not in ("GPUSTREAM_LIBRARY", "LD_LIBRARY_PATH")}
    environment["PYTHONPATH"] = str(tmp_path)
    done = subprocess.run([sys.executable, "-c", "import gpustream"], capture_output=True, text=True, env=environment, cwd=tmp_path)
    assert done.returncode == 1, done.stderr
    return done.stderr.splitlines()[-1]


def test_library_missing_beside_the_extension(tmp_path):
    package = copy_of_package(tmp_path)
    (package / LIBRARY).unlink()
    line = failing_import(tmp_path)
    assert line.startswith("ImportError: ") and LIBRARY in line
    assert f"{package / LIBRARY} is missing: reinstall gpustream, or name the library's file by GPUSTREAM_LIBRARY" in line


def test_library_for_another_processor(tmp_path):
    library = copy_of_package(tmp_path) / LIBRARY
    content = bytearray(library.read_bytes())
    other = next(number for number in MACHINES.values() if number != int.from_bytes(content[MACHINE:MACHINE + 2], "little"))
    content[MACHINE:MACHINE + 2] = other.to_bytes(2, "little")
    library.write_bytes(content)
    assert "the installed files are for another processor than this Python's" in failing_import(tmp_path)


def test_older_library(tmp_path):
    """The one of the version before this: the extension asks for functions that it does not have."""
    tool = Path(__file__).resolve().parents[3] / "tests/packages/old_library.py"
    library = copy_of_package(tmp_path) / LIBRARY
    new = tmp_path / "new"
    library.rename(new)
    subprocess.run([sys.executable, tool, "--root", tool.parents[2], "--without", "gs_stream_defer", new, library], check=True)
    line = failing_import(tmp_path)
    assert line.startswith("ImportError: ") and "the libgpustream.so.0 that was loaded is older than this package" in line


def test_library_on_a_file_system_without_execution(tmp_path):
    if subprocess.run(["unshare", "-rm", "true"], capture_output=True).returncode != 0:
        pytest.skip("this user cannot mount")
    package = copy_of_package(tmp_path)
    place = tmp_path / "noexec"
    place.mkdir()
    script = (f"mount -t tmpfs -o noexec none '{place}' && cp -r '{package}' '{place}/' && cd '{place}' && "
              f"PYTHONPATH='{place}' '{sys.executable}' -c 'import gpustream'")
    environment = {key: value for key, value in os.environ.items() if key not in ("GPUSTREAM_LIBRARY", "LD_LIBRARY_PATH", "PYTHONPATH")}
    done = subprocess.run(["unshare", "-rm", "sh", "-c", script], capture_output=True, text=True, env=environment)
    assert done.returncode == 1 and "mounted noexec: install gpustream elsewhere" in done.stderr, done.stderr


def test_no_home_and_no_place_for_files(tmp_path):
    """The import and the host backend need neither."""
    environment = {key: value for key, value in os.environ.items() if key not in ("HOME", "XDG_CACHE_HOME", "TMPDIR")}
    environment |= {"GPUSTREAM_BACKEND": "host", "PYTHONPATH": str(FOLDER.parent), "TMPDIR": "/nonexistent"}
    program = "import gpustream; s = gpustream.Stream(); e = s.record_event(); e.synchronize(); print(e.query())"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=environment, cwd="/")
    assert done.stdout.strip() == "True", done.stderr
