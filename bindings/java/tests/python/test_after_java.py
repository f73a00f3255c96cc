# SPDX-License-Identifier: Apache-2.0
"""A process outlives its virtual machine: nothing that Java left pending does harm."""
import pytest
from java_process import CORE, FAKE_CUDA, layers, run

LIBRARY = """
import threading

core = ctypes.CDLL(arguments[0])
handle = ctypes.c_void_p
NOTIFIED = ctypes.CFUNCTYPE(None, handle, ctypes.c_int)
CALLED = ctypes.CFUNCTYPE(None, handle)
LOGGED = ctypes.CFUNCTYPE(None, handle, ctypes.c_int32, ctypes.c_char_p)
SECONDS = 60  # after which a hang is assumed

def new_stream():
    stream, native = handle(), ctypes.c_size_t()
    ok(core.gs_stream_create(0, 0, 0, ctypes.byref(stream)))
    ok(core.gs_stream_native(stream, ctypes.byref(native)))
    return stream, native.value
"""

NOTIFICATION = LIBRARY + """
java = start_java()
stream, native = new_stream()
mine = java.Stream.fromNative(native, java.Device.of(0))
if arguments[1] == "warm":
    mine.completion().get()
gate = threading.Event()
wait = CALLED(lambda nothing: gate.wait(SECONDS))
ok(core.gs_stream_launch_host(stream, wait, None))
mine.addDoneCallback(jpype.JClass("java.lang.Thread")())
mine.completion()
memory = java.HostMemory.allocate(8)
mine.copy(memory, jpype.JClass("java.nio.ByteBuffer").allocateDirect(8))
jpype.shutdownJVM()
gate.set()
ok(core.gs_stream_synchronize(stream))
own = threading.Event()
notified = NOTIFIED(lambda nothing, status: own.set())
ok(core.gs_stream_notify(stream, notified, None))
assert own.wait(SECONDS), "the library's thread is stuck"
print("well")
"""


@pytest.mark.parametrize("before", ["cold", "warm"])
@pytest.mark.parametrize("layer, home", layers())
def test_a_notification_comes_too_late(layer, home, before, tmp_path):
    run(NOTIFICATION, layer, home, tmp_path, CORE, before)


GRAPH = LIBRARY + """
java = start_java()
stream, native = new_stream()
mine = java.Stream.fromNative(native, java.Device.of(0))
function = jpype.JClass("java.lang.Thread")()  # a Runnable that does nothing
graph = java.Graph.create(java.Device.of(0))
graph.addHost(function, jpype.JArray(java.GraphNode)(0))
made = graph.instantiate(jpype.JArray(java.InstantiateFlag)(0))
made.launch(mine)
mine.synchronize()
launch = handle(int(made.handle()))
gate = threading.Event()
wait = CALLED(lambda nothing: gate.wait(SECONDS))
ok(core.gs_stream_launch_host(stream, wait, None))
mine.launchHost(function)
made.launch(mine)
mine.defer(function)
jpype.shutdownJVM()
gate.set()
ok(core.gs_graph_exec_launch(launch, stream))
ok(core.gs_stream_synchronize(stream))
print("well")
"""


@pytest.mark.parametrize("layer, home", layers())
def test_work_does_not_wait_for_functions_of_a_virtual_machine_that_has_ended(layer, home, tmp_path):
    run(GRAPH, layer, home, tmp_path, CORE)


LOG = LIBRARY + """
java = start_java()
java.Library.version()
stream, native = new_stream()
said = []
log = LOGGED(lambda nothing, level, text: said.append(text))
if arguments[1] == "python":
    ok(core.gs_set_log_callback(log, None))
jpype.shutdownJVM()
ok(core.gs_set_option(0, ctypes.c_int64(1)))
ok(core.gs_stream_synchronize(stream))
assert bool(said) == (arguments[1] == "python")
print("well")
"""


@pytest.mark.parametrize("owner", ["python", "java"])
@pytest.mark.parametrize("layer, home", layers())
def test_messages_go_to_whom_they_belong(layer, home, owner, tmp_path):
    said = run(LOG, layer, home, tmp_path, CORE, owner)
    by_default = "gpustream: warning: called a synchronizing operation\n"
    assert (by_default in said) == (owner == "java"), said


# Threads that are not Java's: one starts the library, with a function of Java's queued, the other gives the last
# reference back to a stream that Java owns. The first one ends when there is no virtual machine any more.
FOREIGN = LIBRARY + """
driver = ctypes.CDLL(os.environ["GPUSTREAM_LIBCUDA"])

def foreign_stream():
    context, stream = handle(), handle()
    ok(driver.cuInit(0))
    ok(driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0))
    ok(driver.cuCtxPushCurrent_v2(context))
    ok(driver.cuStreamCreate(ctypes.byref(stream), 1))
    ok(driver.cuCtxPopCurrent_v2(ctypes.byref(context)))
    return stream.value

java = start_java()
Task = jpype.JClass("java.util.concurrent.FutureTask")
Executors = jpype.JClass("java.util.concurrent.Executors")
def task():
    return Task(Executors.callable(jpype.JClass("java.lang.Thread")()))

initialised, released, lost = task(), task(), task()
java.Library.callOnInit(initialised)
began, goes_on = threading.Event(), threading.Event()
def start():
    ok(core.gs_init())
    began.set()
    goes_on.wait(SECONDS)
starter = threading.Thread(target=start, daemon=True)
starter.start()
assert began.wait(SECONDS)
assert initialised.isDone()

# The handle behind an object of Java's, with a reference of its own.
def retained(stream):
    found = handle()
    before = stream.exchangeCurrent()
    ok(core.gs_current_stream(-1, ctypes.byref(found)))
    ok(core.gs_stream_retain(found))
    before.setCurrent()
    before.close()
    return found

one = java.ExternalStream.owning(foreign_stream(), java.Device.of(0), released)
stream = retained(one)
one.close()
assert not released.isDone()
thread = threading.Thread(target=lambda: ok(core.gs_stream_destroy(stream)))
thread.start()
thread.join()
released.get(SECONDS, jpype.JClass("java.util.concurrent.TimeUnit").SECONDS)

two = java.ExternalStream.owning(foreign_stream(), java.Device.of(0), lost)
stream = retained(two)
two.close()
jpype.shutdownJVM()
ok(core.gs_stream_destroy(stream))
goes_on.set()
starter.join(SECONDS)
assert not starter.is_alive()
print("well")
"""


@pytest.mark.parametrize("layer, home", layers())
def test_threads_of_others(layer, home, tmp_path):
    run(FOREIGN, layer, home, tmp_path, CORE, GPUSTREAM_BACKEND="cuda", GPUSTREAM_LIBCUDA=str(FAKE_CUDA))
