# SPDX-License-Identifier: Apache-2.0
"""How the package is laid out and loaded. GPUSTREAM_TEST_WHEEL names a wheel, which must look the same."""
import ast
import inspect
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import gpustream
import pytest
from support.native import ROOT
from support.refusals import raises

FOLDER = Path(gpustream.__file__).parent  # not resolved: the files may be links to their sources
CHAPTERS = {path.relative_to(ROOT).as_posix() for path in [ROOT / "include/gpustream_tools.h", *(ROOT / "include/gpustream").glob("*.h")]}
NATIVE = {"libgpustream.so.0", "libgpustream_tools.so.0", "include/gpustream.h", "include/gpustream_torch_stable.h", "demo/kernels_host.so", "demo/kernels_cuda.ptx", "bin/gpustream",
          "gpustream/front/libcuda.so.1", "gpustream/simulated/libcuda.so.1"} | CHAPTERS


def files_below(folder):
    return [path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts]


PURE = {*files_below(ROOT / "bindings/python/src/gpustream"), "_backend_names.py", "_enums.py", "_core/functions.pyi", "include/gpustream.pxd"}


def names_in_wheel():
    path = os.environ.get("GPUSTREAM_TEST_WHEEL")
    if not path:
        return None
    with zipfile.ZipFile(path) as wheel:
        return [name.removeprefix("gpustream/") for name in wheel.namelist() if name.startswith("gpustream/")]


def test_layout():
    found = names_in_wheel() or files_below(FOLDER)
    extensions = [name for name in found if name.startswith("_core.") and name.endswith(".so")]
    assert len(extensions) == 1 and re.fullmatch(r"_core\.cpython-3\d+t?-x86_64-linux-(gnu|musl)\.so", extensions[0])
    assert set(found) - {extensions[0], "LICENSE"} == PURE | NATIVE
    assert sum("libgpustream" in name for name in found) == 2


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
    """All languages use the copy that was loaded first."""
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


NATIVE_SIGNATURE = re.compile(r"gs_py_signature (\w+) = \{(.*?)\};", re.S)


def stub_constructors():
    """{class: [(names that may be positional, all names)]} of the stubs; stubtest does not see constructors of extension types."""
    found = {}
    for module in ("generic", "__init__"):
        tree = ast.parse((FOLDER / f"_core/{module}.pyi").read_text(encoding="utf-8"))
        for kind in (node for node in tree.body if isinstance(node, ast.ClassDef) and node.name in ("Stream", "Event")):
            inits = [node.args for node in kind.body if isinstance(node, ast.FunctionDef) and node.name == "__init__"]
            found[f"{module}.{kind.name}"] = [([a.arg for a in init.args[1:]], [a.arg for a in init.args[1:] + init.kwonlyargs])
                                              for init in inits]
    return found


def native_constructors():
    source = "".join((ROOT / "bindings/python/native" / name).read_text(encoding="utf-8") for name in ("event_rules.c", "stream_make.c"))
    found = {}
    for name, body in NATIVE_SIGNATURE.findall(source):
        names = re.findall(r'"(\w+)"', body.split(".names")[1])
        assert len(names) == int(re.search(r"\.count = (\d+)", body).group(1))
        found[name] = (names[:int(re.search(r"\.positional = (\d+)", body).group(1))], names)
    return found


def test_the_stubs_constructors_are_the_extensions():
    stubs, native = stub_constructors(), native_constructors()
    assert stubs["__init__.Event"] == [native["event_parameters"]]
    assert stubs["generic.Event"] == [native["generic_event_parameters"]]
    (positional, names), = stubs["__init__.Stream"]
    assert (positional, names) == native["stream_parameters"]
    by_device, by_number = stubs["generic.Stream"]
    assert by_number == native["live_stream_parameters"]
    # The numbers by name are for torch.cuda.Stream, which has no other way; here they are a call form of their own.
    assert by_device[0] == native["generic_stream_parameters"][0]
    assert set(native["generic_stream_parameters"][1]) == set(by_device[1]) | {"stream_id", "device_index", "device_type"}


def test_the_stubs_functions_are_the_extensions():
    tree = ast.parse((FOLDER / "_core/functions.pyi").read_text(encoding="utf-8"))
    functions = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    constants = {node.target.id for node in tree.body if isinstance(node, ast.AnnAssign)}
    assert functions == {name for name in dir(gpustream._core) if name.startswith("gs_")}
    assert constants == {name for name in dir(gpustream._core) if name.startswith("GS_")}
    for name in constants:
        assert type(getattr(gpustream._core, name)) is int, name


def test_swigs_type_table_is_our_own():
    """SWIG modules share one table by default, and fail to import beside others that were built in another way."""
    runtime = [module for name, module in sys.modules.items() if name.startswith("swig_runtime_data")]
    tables = [name for module in runtime for name in dir(module) if name.startswith("type_pointer_capsule")]
    assert len(tables) == 1 and tables[0].endswith("gpustream")


def documented():
    """(name, object) of everything public: functions, classes, and what the classes and modules offer."""
    for name in gpustream.__all__ + ["_sleep", "_lazy_call", "_set_stream_by_id", "_exchange_device", "_maybe_exchange_device",
                                     "_DeviceGuard", "_is_in_bad_fork", "_is_compiled"]:
        yield name, getattr(gpustream, name)
    for kind in (gpustream.Stream, gpustream.Event, gpustream.ExternalStream, gpustream.Device, gpustream.generic.Stream,
                 gpustream.generic.Event, type(gpustream.cudart())):
        for name in dir(kind):
            if not name.startswith("_") or name == "_as_parameter_":
                yield f"{kind.__qualname__}.{name}", inspect.getattr_static(kind, name)
    for name in ("as_stream", "to_dlpack", "from_dlpack", "to_cuda_array_interface", "from_cuda_array_interface"):
        yield f"interop.{name}", getattr(gpustream.interop, name)


def test_everything_public_is_documented():
    without = {name for name, thing in documented()
               if not (inspect.getdoc(getattr(thing, "__func__", thing)) or "").strip() and name != "_Cudart.cudaOutputMode"}
    assert without <= {"_Cudart.cudaError"}, without


def test_what_can_fail_says_how():
    """Methods and functions that take something name the errors; what blocks says so."""
    for kind, names in ((gpustream.Event, ("record", "wait", "elapsed_time", "synchronize", "ipc_handle", "from_ipc_handle", "from_handle")),
                        (gpustream.Stream, ("record_event", "wait_event", "wait_stream", "synchronize", "launch_host", "priority_range")),
                        (gpustream, ("current_stream", "default_stream", "synchronize", "set_device", "get_device_properties",
                                     "can_device_access_peer", "set_sync_debug_mode", "set_stream", "init"))):
        for name in names:
            assert "Raises" in inspect.getdoc(getattr(kind, name)), name
    for name in ("Event.synchronize", "Stream.synchronize", "synchronize"):
        owner, _, method = name.rpartition(".")
        assert "Blocks until" in inspect.getdoc(getattr(getattr(gpustream, owner) if owner else gpustream, method)), name


@pytest.mark.parametrize("module", ["errors", "generic", "interop"])
def test_public_modules_are_attributes(module):
    assert getattr(gpustream, module).__name__ == f"gpustream.{module}"


def test_nothing_of_swigs_shows():
    stream = gpustream.Stream()
    for name in ("this", "thisown", "append", "own", "disown", "acquire", "next", "__int__", "__dict__"):
        assert not hasattr(stream, name), name
    raises(TypeError, int, stream)
    with pytest.raises(AttributeError):
        stream.anything = 1
