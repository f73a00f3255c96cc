# SPDX-License-Identifier: Apache-2.0
"""First use: what initialises, and calls put off until then (rows E1 to E22), each in a process of its own; and the import, which happens once."""
import pytest

INITIALISES = [
    "init()", "cudart()", "get_device_properties(0)", "get_device_name(0)", "get_device_capability(0)", "can_device_access_peer(0, 1)",
    "current_device()", "synchronize()", "ipc_collect()", "current_stream()", "default_stream()", "set_sync_debug_mode(0)",
    "get_sync_debug_mode()", "Stream()", "Event().record()", "_sleep(0)", "is_current_stream_capturing()", "ExternalStream(0)",
    "_malloc_host(8)", "Stream.priority_range()", "per_thread_stream()",
]
DOES_NOT = [
    "is_available()", "device_count()", "is_initialized()", "set_device(0)", "Event()", "Event(True, interprocess=True)",
    "_is_in_bad_fork()", "_is_compiled()", "Device('cuda:1')", "_stats()", "device(0)", "_lazy_call(print)", "Event().query()",
    "_exchange_device(-1)", "check_error(0)", "generic.Event('cuda:1')", "_instance_count()",
]


@pytest.mark.parametrize("call", INITIALISES)
def test_initialises(run_python, call):
    run_python(f"import gpustream as g; assert not g.is_initialized(); g.{call}; assert g.is_initialized()")


def test_does_not_initialise(run_python):
    for call in DOES_NOT:
        run_python(f"import gpustream as g; g.{call}; assert g.is_initialized() is False, {call!r}")


def test_deferred_calls_run_in_order(run_python):
    out = run_python("""
import gpustream as g
g._lazy_call(lambda: print(1))
g._lazy_call(lambda: print(2), seed=True)
print(0)
g.init()
g._lazy_call(lambda: print(3))
g.init()
""")
    assert out.split() == ["0", "1", "2", "3"]


def test_deferred_calls_may_use_the_library(run_python):
    out = run_python("""
import gpustream as g
g._lazy_call(lambda: (g.init(), print(g.Stream().device_index), g._lazy_call(lambda: print("nested"))))
g.current_stream()
assert g.is_initialized()
""")
    assert out.split() == ["0", "nested"]


def test_failing_deferred_call(run_python):
    out = run_python("""
import gpustream as g

def fails():
    raise KeyError("seed")

def queue_it():
    g._lazy_call(fails)

queue_it()
g._lazy_call(lambda: print("second"))
from support.refusals import raises
error = raises(g.DeferredCudaCallError, g.Stream)
text = str(error)
assert isinstance(error, g.Error) and isinstance(error.__cause__, KeyError)
assert text.startswith("CUDA call failed lazily at initialization with error: 'seed'\\n\\nCUDA call was originally invoked at:\\n\\n"), text
assert "queue_it" in text, text
assert g.is_initialized() is False
g.init()
assert g.is_initialized() is True
""")
    assert out.split() == ["second"]


def test_failure_of_a_call_made_at_once_is_its_own(run_python):
    run_python("""
import gpustream as g
g.init()
from support.refusals import raises
raises(ZeroDivisionError, g._lazy_call, lambda: 1 / 0)
""")


@pytest.mark.parametrize("before", ["", "g.init()"])
def test_what_cannot_be_called_is_refused_at_once(run_python, before):
    run_python(f"""
import gpustream as g
{before}
from support.refusals import raises
raises(TypeError, "^_lazy_call.*: argument 'callable' must be callable, not int$", g._lazy_call, 3, seed=True)
g.init()
""")


def test_threads_initialise_once(run_python):
    out = run_python("""
import gpustream as g
from support.at_once import at_once
calls = []
g._lazy_call(lambda: calls.append(1))
at_once(lambda _: g.Stream().synchronize())
print(len(calls))
""")
    assert out.split() == ["1"]


def test_import_touches_nothing(run_python):
    out = run_python("""
import sys
import gpustream
maps = open("/proc/self/maps").read()
assert "libcuda" not in maps and maps.count("libgpustream") > 0
print("numpy" in sys.modules, "torch" in sys.modules, "asyncio" in sys.modules)
""")
    assert out.split() == ["False"] * 3


FIRST = """
import sys
import gpustream, gpustream.interop
stream, event = gpustream.Stream(), gpustream.Event()

def works():
    stream.record_event(event)
    event.synchronize()
    with stream:
        assert gpustream.current_stream() is stream
    assert gpustream.Stream(1).device_index == 1 and type(stream.record_event()) is gpustream.Event
    assert gpustream.get_stream_from_external(stream) is stream
    assert gpustream.get_stream_from_external(stream.cuda_stream) == stream
    try:
        gpustream.Stream(99)
    except gpustream.InvalidDeviceError:
        return True

assert works()
"""


def test_import_again_after_removal(run_python):
    run_python(FIRST + """
for _ in range(2):
    for name in [name for name in sys.modules if name.partition(".")[0] == "gpustream"]:
        del sys.modules[name]
    try:
        import gpustream as second
    except ImportError as error:
        assert "only once per process" in str(error), error
    else:
        raise SystemExit("imported twice")
    assert works()
""")


def test_import_in_a_second_interpreter(run_python):
    run_python(FIRST + """
if sys.version_info >= (3, 13):
    import _interpreters as interpreters
    other = interpreters.create("legacy")
else:
    import _xxsubinterpreters as interpreters
    other = interpreters.create(isolated=False)
failure = interpreters.run_string(other, f"import sys; sys.path[:] = {sys.path!r}" + '''
try:
    import gpustream
except ImportError as error:
    assert "only once per process" in str(error), error
else:
    raise RuntimeError("imported twice")
''')
assert failure is None, failure
assert works()
interpreters.destroy(other)
assert works()
""")


def test_import_again_without_removal(run_python):
    """What Python itself does again is the package's code, which finds the same extension."""
    run_python(FIRST + """
import importlib
assert importlib.reload(gpustream) is gpustream and works()
del sys.modules["gpustream"]
import gpustream
assert works()
""")
