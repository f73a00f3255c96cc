# SPDX-License-Identifier: Apache-2.0
"""Interpreter exit, and events between processes. Forks: test_forks.py."""
import os
import subprocess
import sys

import gpustream
import pytest
from support.refusals import raises

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
    "functions that are not due": """
from support.native import Gate
s, free, gate = gpustream.Stream(), gpustream.Stream(), Gate()
gate.hold(s)
for submit in (s.add_done_callback, s.defer, s.launch_host):
    for _ in range(200): submit(lambda: print("never"))
s.keep(bytearray(10))""",
    "a function that has run": "import threading; s, e = gpustream.Stream(), threading.Event(); s.launch_host(e.set); e.wait()",
    "a function that runs": """
import threading, time
s, inside = gpustream.Stream(), threading.Event()
s.launch_host(lambda: (inside.set(), time.sleep(0.2)))
inside.wait()""",
    "many functions": "s = gpustream.Stream(); [s.launch_host(lambda: None) for _ in range(500)]",
    "entries of a queue": """
from support.native import Gate
s, gate, queue = gpustream.Stream(), Gate(), gpustream.Queue()
gate.hold(s)
queue.add(s, 1)""",
    "in mid-capture": "s, g = gpustream.Stream(), gpustream.CUDAGraph()\ns.__enter__()\ng.capture_begin()\ns.launch_host(print)",
    "launches of a graph": """
s, seen, graph = gpustream.Stream(), [], gpustream.Graph()
graph.add_host(lambda: seen.append(1))
executable = graph.instantiate()
for _ in range(100): executable.launch(s)""",
}


@pytest.mark.parametrize("name", EXITS)
def test_exit(run_python, name):
    out = run_python("import gpustream\n" + EXITS[name])
    assert out == "", out


def test_exception_at_exit_is_seen(run_python):
    out = run_python("import gpustream; s = gpustream.Stream(); s.wait_event(None)", status=1)
    assert "TypeError: wait_event(): argument 'event' must be Event" in out


def start(code, *arguments):
    return subprocess.Popen([sys.executable, "-c", code, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})


EXPORTER = """
import gpustream, sys
event = gpustream.Event(interprocess=True)
event.record(gpustream.Stream())
print(event.ipc_handle().hex(), flush=True)
sys.stdin.readline()
"""


def test_an_event_of_another_process():
    """And ipc_collect() closes what lost its exporter."""
    child, stream = start(EXPORTER), gpustream.Stream()
    handle = bytes.fromhex(child.stdout.readline())
    event = gpustream.Event.from_ipc_handle(0, handle)
    assert event._flags == 4 and event.device.index == 0
    assert gpustream.generic.Event.from_ipc_handle("cuda:0", bytearray(handle)).device.index == 0
    stream.wait_event(event)
    stream.synchronize()
    raises(NotImplementedError, event.ipc_handle)
    gpustream.ipc_collect()
    event.query()
    child.kill()
    child.communicate()
    assert event.query() is True  # done stays done
    gpustream.ipc_collect()
    if gpustream.Device("cuda").type == "host":
        raises(gpustream.InvalidHandleError, event.query)
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
            raises(gpustream.InvalidHandleError, event.query)
        del event
    del one, other
    assert len(gpustream._ipc._imported) == known
