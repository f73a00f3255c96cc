# SPDX-License-Identifier: Apache-2.0
"""What starting costs, held by counts: modules, system calls, threads, pages. bench/python/startup measures the times."""
import ast
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import gpustream
import pytest

FOLDER = Path(gpustream.__file__).parent
NEEDED = {"gpustream"} | {f"gpustream.{name}" for name in (
    "_backend_names", "_core", "_core.generic", "_current", "_debug", "_devices", "_error_objects", "_event", "_extend", "_hooks", "_ipc", "_later", "_lazy", "_load",
    "_stream", "_torch_words", "_where", "errors", "generic", "interop")}
STANDARD = {"__future__", "_operator", "atexit"}  # small, or built in

MODULES = """
import sys
before = set(sys.modules)
exec(sys.argv[1])
print(*sorted(set(sys.modules) - before))
"""

# System calls of the library alone: what Python does in between is allocated beforehand.
STEPS = """
import ctypes, os, sys
out, handle = ctypes.c_void_p(), ctypes.CDLL(None)
os.write(2, b"STEP load\\n")
library = ctypes.CDLL(sys.argv[1])
os.write(2, b"STEP import\\n")
init, create = library.gs_init, library.gs_stream_create
os.write(2, b"STEP first call\\n")
init()
os.write(2, b"STEP first stream\\n")
create(-1, 0, 0, ctypes.byref(out))
os.write(2, b"STEP end\\n")
exec(sys.argv[2])
os.write(2, b"STEP over\\n")
"""

PAGES = """
import ctypes, sys
def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096
out = ctypes.c_void_p()
resident()
before = resident()
library = ctypes.CDLL(sys.argv[1])
assert library.gs_init() == 0 and library.gs_stream_create(-1, 0, 0, ctypes.byref(out)) == 0
print(resident() - before)
"""


def imported(run_python, code):
    """(the package's modules, others) that code imports"""
    names = set(run_python(MODULES, code).split())
    ours = {name for name in names if name.partition(".")[0] == "gpustream"}
    return ours, names - ours


def test_what_an_import_imports(run_python):
    ours, others = imported(run_python, "import gpustream")
    assert ours == NEEDED
    assert others - {name for name in others if name.startswith("swig_runtime_data")} <= STANDARD


def test_what_usual_work_imports(run_python):
    code = """
import gpustream
stream, event = gpustream.Stream(), gpustream.Event()
with stream, gpustream.device(0), gpustream.stream(stream), gpustream.device("cuda:0"):
    event.record()
stream.wait_event(event)
event.synchronize(), gpustream.synchronize(), stream.device, stream.cuda_stream, gpustream.current_stream(), repr(stream)
"""
    ours, others = imported(run_python, code)
    assert ours == NEEDED
    assert others - {name for name in others if name.startswith("swig_runtime_data")} <= STANDARD


def test_an_import_too_many_is_found(run_python):
    ours, others = imported(run_python, "import gpustream, enum, gpustream._cudart")
    assert "enum" in others - STANDARD and ours - NEEDED == {"gpustream._cudart", "gpustream._runtime_texts"}


def later_for_type_checkers():
    """{module: names} that __init__.py imports under TYPE_CHECKING."""
    tree = ast.parse((FOLDER / "__init__.py").read_text(encoding="utf-8"))
    blocks = [node for node in tree.body if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"]
    imports = [node for block in blocks for node in block.body if isinstance(node, ast.ImportFrom)]
    return {node.module.removeprefix("gpustream."): {alias.name for alias in node.names} for node in imports}


def test_names_that_come_later():
    found = later_for_type_checkers()
    assert found.pop("errors") == {"*"} and set(gpustream._LATER["errors"]) <= set(gpustream.errors.__all__)
    assert found.pop("gpustream") == set(gpustream._SUBMODULES)
    assert found.pop("memory") == {"*"} and set(gpustream._LATER["memory"]) <= set(gpustream.memory.__all__)
    assert found == {module: set(names) for module, names in gpustream._LATER.items() if module not in ("errors", "memory")}
    for module, names in gpustream._LATER.items():
        for name in names:
            assert getattr(gpustream, name) is getattr(sys.modules[f"gpustream.{module}"], name)
    with pytest.raises(AttributeError, match="module 'gpustream' has no attribute 'nothing'"):
        _ = gpustream.nothing
    with pytest.raises(AttributeError, match="module 'gpustream.errors' has no attribute 'nothing'"):
        _ = gpustream.errors.nothing
    assert gpustream.Error().status is gpustream.Status.INTERNAL and gpustream.Error.reason is gpustream.Reason.NONE


def test_dir_lists_them_before_they_are_there(run_python):
    assert run_python("""
import gpustream
listed = dir(gpustream)
assert set(gpustream.__all__) <= set(listed) and listed == sorted(listed), set(gpustream.__all__) - set(listed)
assert {"Status", "Reason"} <= set(dir(gpustream.errors))
names = {}
exec("from gpustream import *; from gpustream.errors import Status as S", names)
assert set(gpustream.__all__) <= set(names) and names["S"] is gpustream.Status
print("listed")
""").split() == ["listed"]


def test_a_callback_at_exit_and_after_fork(run_python):
    """The module of callbacks is imported late: also in an exit handler, and in a child."""
    out = run_python("""
import atexit, os
def late():
    try:
        stream.add_done_callback(print)
    except gpustream.ShutdownError as error:
        print("refused")
atexit.register(late)  # runs after the package's
import gpustream
child = os.fork()
if child == 0:
    try:
        stream = gpustream.Stream()
        stream.add_done_callback(lambda: print("called", flush=True))
        stream.synchronize()
    finally:
        os._exit(0)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
stream = gpustream.Stream()
""")
    assert out.split() == ["called", "refused"]


def steps(extra="pass"):
    """{step: names of its system calls}"""
    if not shutil.which("valgrind"):
        pytest.skip("valgrind is not installed (scripts/bootstrap installs it)")
    done = subprocess.run(["valgrind", "--tool=none", "--trace-syscalls=yes", sys.executable, "-S", "-c", STEPS, FOLDER / "libgpustream.so.0", extra],
                          capture_output=True, text=True, errors="replace", timeout=100)
    assert done.returncode == 0, done.stderr[-2000:]
    parts = re.split(r"STEP ([a-z ]+)\n", done.stderr)[1:]
    calls = {name: re.findall(r"^SYSCALL\[\d+,\s*\d+\]\(\s*\d+\) (?:sys_)?(\w+)", text, re.M) for name, text in zip(parts[::2], parts[1::2])}
    return {name: [one for one in found if one != "write"] for name, found in calls.items()}


@pytest.mark.skipif(bool(sysconfig.get_config_var("Py_GIL_DISABLED")),
                    reason="an interpreter without a GIL makes system calls of its own in between, for its locks and its allocator")
@pytest.mark.host_only  # a driver's system calls are not ours
def test_system_calls():
    """The library opens only its own file; it starts neither a thread nor a wait. The numbers are those of today."""
    found = steps("import threading; threading.Thread(target=int).start()")
    asks = {"gettid", "getpid", "sched_getaffinity", "membarrier", "brk", "mmap"}
    assert len(found["load"]) <= 24 and found["load"].count("openat") + found["load"].count("open") <= 1, found["load"]
    assert set(found["first call"]) <= asks and len(found["first call"]) <= 10, found["first call"]
    assert set(found["first stream"]) <= asks and len(found["first stream"]) <= 4, found["first stream"]
    assert {"clone", "clone3"} & set(found["end"]), "a thread would not be seen"


@pytest.mark.host_only  # a driver's memory is not ours
def test_resident_memory():
    """Bytes of the library with one stream on host, in a process that does nothing else. A released library, which is compiled for
    size, has 850,000; builds for tests have half as much code again, and its pages depend on what is compiled together."""
    done = subprocess.run([sys.executable, "-S", "-c", PAGES, FOLDER / "libgpustream.so.0"], capture_output=True, text=True, check=True,
                          env={**os.environ, "GPUSTREAM_BACKEND": "host"})
    assert 0 < int(done.stdout) <= 5 << 18
