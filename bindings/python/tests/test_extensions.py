# SPDX-License-Identifier: Apache-2.0
"""What the package offers to extensions in C, C++ and Cython: header, library, declarations, and the capsule."""
import ctypes
import importlib.machinery
import importlib.util
import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import gpustream
import pytest
from support.at_once import Theirs
from support.refusals import raises

SUPPORT = Path(__file__).parent / "support"
PYTHON_H = Path(sysconfig.get_path("include"))
needs_compiler = pytest.mark.skipif(not shutil.which("cc") or not (PYTHON_H / "Python.h").is_file(), reason="no C compiler or no Python.h")


def build(source, target, *options):
    subprocess.run(["cc", "-O1", "-Wall", "-Wextra", "-Werror", *options, "-shared", "-fPIC", f"-I{PYTHON_H}", f"-I{gpustream.get_include()}",
                    str(source), gpustream.get_library(), "-o", str(target)], check=True)


def load(name, path):
    spec = importlib.util.spec_from_loader(name, importlib.machinery.ExtensionFileLoader(name, str(path)))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def extension(tmp_path_factory):
    target = tmp_path_factory.mktemp("extension") / "uses_c_api.so"
    build(SUPPORT / "uses_c_api.c", target)
    return load("uses_c_api", target)


@needs_compiler
def test_objects_go_in(extension):
    stream, event = gpustream.Stream(1), gpustream.Event()
    before = sys.getrefcount(stream), sys.getrefcount(event)
    extension.record(event, stream)
    assert event.device == stream.device
    for given in (Theirs(stream.cuda_stream), gpustream.ExternalStream(stream.cuda_stream)):
        extension.record(event, given)
    with stream:
        extension.record(event, None)
    assert (sys.getrefcount(stream), sys.getrefcount(event)) == before
    for arguments, error in (((event, event), TypeError), ((stream, stream), TypeError), ((event, 7), TypeError),
                             ((event, gpustream.Stream(0)), gpustream.DeviceMismatchError)):
        raises(error, extension.record, *arguments)
    event.close()
    raises(gpustream.InvalidHandleError, extension.record, event, stream)


@needs_compiler
def test_objects_come_out(extension):
    created = gpustream._stats()["streams_created"]
    stream, event, device = extension.create("cuda:1")
    assert type(stream) is gpustream.Stream and type(event) is gpustream.Event and device == stream.device == gpustream.Device(1)
    event.record(stream)
    with stream:
        assert gpustream.current_stream() is stream
    assert extension.create(None)[2] == gpustream.Device(gpustream.current_device())
    assert gpustream._stats()["streams_created"] == created + 2
    for wrong, error in ((99, gpustream.InvalidDeviceError), (1.5, TypeError), ("cuda:x", RuntimeError)):
        raises(error, extension.create, wrong)


@needs_compiler
def test_the_extension_imports_the_package(extension, run_python):
    """Its own import is enough, and the library is the same one."""
    out = run_python(f"""
import importlib.machinery, importlib.util
loader = importlib.machinery.ExtensionFileLoader("uses_c_api", {extension.__file__!r})
module = importlib.util.module_from_spec(importlib.util.spec_from_loader("uses_c_api", loader))
""", LD_LIBRARY_PATH=str(Path(gpustream.get_library()).parent))
    assert out == ""


@needs_compiler
def test_a_package_that_is_too_old_is_refused(tmp_path):
    source = (SUPPORT / "uses_c_api.c").read_text(encoding="utf-8").replace("uses_c_api", "wants_more")
    newer = (Path(gpustream.get_include()) / "gpustream_python.h").read_text(encoding="utf-8")
    marker = "    int (*dlpack_current_work_stream)(int32_t device_type, int32_t device_id, void **out_stream);\n"
    assert newer.count(marker) == 1
    (tmp_path / "gpustream_python.h").write_text(newer.replace(marker, marker + "    void *added[4];\n"))
    (tmp_path / "wants_more.c").write_text(source)
    build(tmp_path / "wants_more.c", tmp_path / "wants_more.so", f"-I{tmp_path}")
    raises(ImportError, "older than this extension was built for", load, "wants_more", tmp_path / "wants_more.so")


@needs_compiler
@pytest.mark.parametrize("language", ["c99", "c11", "c++11", "c++17"])
def test_the_header_alone(language, tmp_path):
    source = tmp_path / ("alone.cpp" if "+" in language else "alone.c")
    source.write_text("#include <gpustream_python.h>\nconst gs_python_api *get(void);\nconst gs_python_api *get(void) { return gs_python_import(); }\n")
    compiler = "c++" if "+" in language else "cc"
    if not shutil.which(compiler):
        pytest.skip(f"no {compiler}")
    subprocess.run([compiler, f"-std={language}", "-Wall", "-Wextra", "-Werror", f"-isystem{PYTHON_H}", f"-I{gpustream.get_include()}", "-fsyntax-only",
                    str(source)], check=True)


@needs_compiler
def test_cython(tmp_path):
    if not importlib.util.find_spec("Cython"):
        pytest.skip("Cython is not installed (scripts/bootstrap installs it)")
    subprocess.run([sys.executable, "-m", "cython", "-3", f"-I{gpustream.get_include()}", str(SUPPORT / "uses_pxd.pyx"), "-o",
                    str(tmp_path / "uses_pxd.c")], check=True)
    build(tmp_path / "uses_pxd.c", tmp_path / "uses_pxd.so", "-w")
    module = load("uses_pxd", tmp_path / "uses_pxd.so")
    assert module.record_and_wait() == ("GS_OK", 1) and module.name() == gpustream.get_device_name()


def test_library_and_header():
    assert os.path.samefile(gpustream.get_library(), ctypes.CDLL(gpustream.get_library())._name)
    assert Path(gpustream.get_library()).name == "libgpustream.so.0" and gpustream._instance_count() == 1
    assert {path.name for path in Path(gpustream.get_include()).iterdir()} == {
        "gpustream", "gpustream.h", "gpustream.pxd", "gpustream_python.h", "gpustream_tools.h", "gpustream_torch_stable.h"}


def test_current_raw_stream():
    stream, other = gpustream.Stream(), gpustream.Stream(1)
    assert gpustream.current_raw_stream() == 0
    with stream:
        assert gpustream.current_raw_stream() == gpustream.current_raw_stream(0) == stream.cuda_stream != 0
        with other:
            assert gpustream.current_raw_stream() == gpustream.current_raw_stream(device="cuda:1") == other.cuda_stream
            assert gpustream.current_raw_stream(0) == stream.cuda_stream
    raises(gpustream.InvalidDeviceError, gpustream.current_raw_stream, 99)
    raises(TypeError, gpustream.current_raw_stream, 1.5)
