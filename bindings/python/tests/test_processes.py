# SPDX-License-Identifier: Apache-2.0
"""Fork, spawn, interpreter exit, and events between processes."""
import multiprocessing
import os

import gpustream
import pytest

TEXT = ("the process was forked after gpustream, or CUDA by another library, had been initialised; start children by spawn or exec, or fork before "
        "the first use") if os.environ["GPUSTREAM_BACKEND"] == "host" else (
            "Cannot re-initialize CUDA in forked subprocess. To use CUDA with multiprocessing, you must use the 'spawn' start method")

FORKED = """
import os, sys, warnings
import gpustream
stream, event = gpustream.Stream(), gpustream.Event()
event.record(stream)
stream.add_done_callback(lambda: None)
stream.synchronize()
child = os.fork()
if child == 0:
    text = {text!r}
    for name, call in {{
        "Stream": gpustream.Stream, "record": event.record, "record on": lambda: event.record(stream), "query": event.query,
        "from_handle": lambda: gpustream.Event.from_handle(event.handle),
        "sync": stream.synchronize, "event sync": event.synchronize, "device": gpustream.synchronize, "with": stream.__enter__,
        "current": gpustream.current_stream, "init": gpustream.init, "Event": gpustream.Event, "set_device": lambda: gpustream.set_device(1),
        "callback": lambda: stream.add_done_callback(print), "props": gpustream.get_device_properties,
    }}.items():
        try:
            call()
        except gpustream.BadForkError as error:
            assert str(error) == text, (name, error)
        else:
            os._exit(3)
    assert gpustream._is_in_bad_fork() is True and gpustream.is_initialized() is False
    assert gpustream.is_available() in (True, False) and gpustream.device_count() == 2
    assert gpustream.get_sync_debug_mode.__name__
    del stream, event
    sys.exit(0)
status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
assert gpustream._is_in_bad_fork() is False
stream.synchronize()
print("child", status)
"""


def test_forked_child(run_python):
    assert run_python("import warnings; warnings.simplefilter('ignore', DeprecationWarning)\n" + FORKED.format(text=TEXT)).split() == ["child", "0"]


def test_fork_before_first_use(run_python):
    out = run_python("""
import os
import gpustream
assert gpustream.is_available() in (True, False) and gpustream.device_count() >= 0  # how the fake is counted is not what this is about
gpustream.Event()
child = os.fork()
gpustream.Stream().synchronize()
seen = []
gpustream.Stream().add_done_callback(lambda: seen.append(1))
gpustream.synchronize()
if child == 0:
    os._exit(0 if seen == [1] else 1)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
""")
    assert out.split() == ["0"]


def _in_child(queue):
    try:
        queue.put(("stream", gpustream.Stream().device_index))
    except RuntimeError as error:
        queue.put(("error", str(error)))


@pytest.mark.parametrize("method", ["fork", "spawn"])
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_multiprocessing(method):
    gpustream.init()
    context = multiprocessing.get_context(method)
    queue = context.SimpleQueue()
    child = context.Process(target=_in_child, args=(queue,))
    child.start()
    answer = queue.get()
    child.join()
    assert child.exitcode == 0
    assert answer == (("error", TEXT) if method == "fork" else ("stream", 0))


EXITS = {
    "objects alive": "s = gpustream.Stream(); e = gpustream.Event(True); e.record(s)",
    "inside with": "s = gpustream.Stream(); s.__enter__()",
    "work pending": "s = gpustream.Stream(); gpustream._core.gs_stream_sleep(s, 2_000_000_000)",
    "cycle": "s = type('S', (gpustream.Stream,), {})(); s.me = s",
    "in a list of a module": "import sys; sys.keep = [gpustream.Stream() for _ in range(100)]",
    "atexit uses it": "import atexit; atexit.register(lambda: gpustream.Stream().synchronize())",
    "del at the end": """
class Late:
    def __init__(self): self.e = gpustream.Event()
    def __del__(self):
        self.e.record(); self.e.synchronize()
late = Late()""",
    "daemon thread in a blocking call": """
import threading
from support.native import Gate
s, gate = gpustream.Stream(), Gate()
gate.hold(s)
threading.Thread(target=s.synchronize, daemon=True).start()""",
    "daemon thread in hot calls": """
import threading
s, e, up = gpustream.Stream(), gpustream.Event(), threading.Event()
def hot():
    up.set()
    while True:
        e.record(s); e.query()
threading.Thread(target=hot, daemon=True).start()
up.wait()""",
    "callbacks due": "s = gpustream.Stream()\nfor _ in range(1000): s.add_done_callback(lambda: None)",
    "callback at exit": """
import atexit
s = gpustream.Stream()
def late():
    try:
        s.add_done_callback(lambda: None)
    except gpustream.ShutdownError:
        pass  # newer interpreters start no thread any more
    s.synchronize()
atexit.register(late)""",
    "foreign owner current": """
class Owner:
    ptr = 2
gpustream.set_stream(Owner())""",
    "os._exit": "import os; s = gpustream.Stream(); os._exit(0)",
}


@pytest.mark.parametrize("name", EXITS)
def test_exit(run_python, name):
    out = run_python("import gpustream\n" + EXITS[name])
    assert out == "", out


def test_exception_at_exit_is_seen(run_python):
    out = run_python("import gpustream; s = gpustream.Stream(); s.wait_event(None)", status=1)
    assert "TypeError: wait_event(): argument 'event' must be Event" in out


IMPORTER = """
import sys
import gpustream
handle = bytes.fromhex(sys.argv[1])
event = gpustream.Event.from_ipc_handle(0, handle)
assert event._flags == 4 and event.device.index == 0
assert gpustream.generic.Event.from_ipc_handle("cuda:0", bytearray(handle)).device.index == 0
print("pending" if not event.query() else "done", flush=True)
stream = gpustream.Stream()
stream.wait_event(event)
sys.stdin.readline()
stream.synchronize()
event.synchronize()
print("done" if event.query() else "pending", flush=True)
try:
    event.ipc_handle()
except NotImplementedError:
    print("not exported again", flush=True)
sys.stdin.readline()
gpustream.ipc_collect()
try:
    event.query()
    print("alive")
except gpustream.InvalidHandleError:
    print("collected")
"""


def start(code, *arguments):
    import subprocess
    import sys
    return subprocess.Popen([sys.executable, "-c", code, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})


def test_event_between_processes(gate):
    stream, held, event = gpustream.Stream(), gate(), gpustream.Event(interprocess=True)
    held.hold(stream)
    event.record(stream)
    child = start(IMPORTER, event.ipc_handle().hex())
    try:
        assert child.stdout.readline() == "pending\n"
        held.open()
        child.stdin.write("go\n")
        child.stdin.flush()
        assert child.stdout.readline() == "done\n"
        assert child.stdout.readline() == "not exported again\n"
        child.stdin.write("go\n")
        child.stdin.flush()
        assert child.stdout.readline() == "alive\n"
        assert child.wait(60) == 0
    finally:
        child.kill()
        child.communicate()


EXPORTER = """
import gpustream, sys
event = gpustream.Event(interprocess=True)
event.record(gpustream.Stream())
print(event.ipc_handle().hex(), flush=True)
sys.stdin.readline()
"""


def test_ipc_collect_closes_what_lost_its_exporter():
    child = start(EXPORTER)
    event = gpustream.Event.from_ipc_handle(0, bytes.fromhex(child.stdout.readline()))
    gpustream.ipc_collect()
    event.query()
    child.kill()
    child.communicate()
    assert event.query() is True  # done stays done
    gpustream.ipc_collect()
    if gpustream.Device("cuda").type == "host":
        with pytest.raises(gpustream.InvalidHandleError):
            event.query()
    else:
        assert event.query() is True, "CUDA's driver does not report that the exporter is gone"
    gpustream.ipc_collect()


class Alike(gpustream.Event):
    """Equal to all of its class, and so without a hash."""

    def __eq__(self, other):
        return isinstance(other, Alike)


def test_imported_events_of_a_class_with_its_own_equality():
    known = len(gpustream._ipc._imported)
    child = start(EXPORTER)
    handle = bytes.fromhex(child.stdout.readline())
    one, other = Alike.from_ipc_handle(0, handle), Alike.from_ipc_handle(0, handle)
    assert one == other and Alike.__hash__ is None and len(gpustream._ipc._imported) == known + 2
    child.kill()
    child.communicate()
    gpustream.ipc_collect()
    if gpustream.Device("cuda").type == "host":  # CUDA's driver keeps an event whose exporter is gone
        for event in (one, other):
            with pytest.raises(gpustream.InvalidHandleError):
                event.query()
        del event
    del one, other
    assert len(gpustream._ipc._imported) == known
