# SPDX-License-Identifier: Apache-2.0
"""Python and Java in one process (JPype) share one library and one current stream."""
import pytest
from java_process import CORE, layers, run

PROGRAM = """
core, first = arguments

if first == "java":
    java = start_java()
    java.Library.version()
    core_library = ctypes.CDLL("libgpustream.so.0")
else:
    core_library = ctypes.CDLL(core)
    java = start_java()

# Python makes a stream current, Java sees it.
stream, scope, number = ctypes.c_void_p(), ctypes.c_uint64(), ctypes.c_int64()
ok(core_library.gs_stream_create(1, 0, 0, ctypes.byref(stream)))
ok(core_library.gs_push_current_stream(stream, ctypes.byref(scope)))
ok(core_library.gs_stream_id(stream, ctypes.byref(number)))
assert java.Stream.current().id() == number.value
assert java.Device.current().ordinal() == 1
ok(core_library.gs_pop_current_stream(scope))
assert java.Stream.current().equals(java.Stream.defaultStream())

# Java makes one current, Python sees it.
mine = java.Stream.create()
opened = mine.scope()
current = ctypes.c_void_p()
ok(core_library.gs_current_stream(-1, ctypes.byref(current)))
ok(core_library.gs_stream_id(current, ctypes.byref(number)))
assert number.value == mine.id()
opened.close()

# A function of Python's, called through Java from the library's thread.
import threading
ran = threading.Event()

@jpype.JImplements("java.lang.Runnable")
class Function:
    @jpype.JOverride
    def run(self):
        ran.set()

mine.addDoneCallback(Function())
assert ran.wait(60)
mine.close()
ok(core_library.gs_stream_destroy(stream))
assert java.Library.instanceCount() == 1
copies = {line.split()[-1] for line in open("/proc/self/maps") if "libgpustream.so" in line}
assert len(copies) == 1, copies
print("well")
"""


@pytest.mark.parametrize("first", ["python", "java"])
@pytest.mark.parametrize("layer, home", layers())
def test_python_and_java_share_one_state(layer, home, first, tmp_path):
    run(PROGRAM, layer, home, tmp_path, CORE, first)
