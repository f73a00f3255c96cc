# SPDX-License-Identifier: Apache-2.0
"""Tasks that submit work and do not wait for it. They run in workers, which keep what this module has."""
import os
import subprocess
import sys
import threading
import time

import gpustream
import numpy

ITEMS = 4096
_gates = {}
_barriers = {}
_lock = threading.Lock()


def gate(name):
    """A timeline of this process for which streams wait until open_gate()."""
    with _lock:
        if name not in _gates:
            _gates[name] = gpustream.Timeline()
        return _gates[name]


def open_gate(name):
    if gate(name).value == 0:
        gate(name).set(1)


def _write(array, values):
    stream = gpustream.current_stream()
    stream.launch_host(lambda: numpy.copyto(array, values()))
    stream.keep(array)


def fill(value, closed_by=None):
    """An array that will have the value in it, when the gate is open."""
    array = numpy.zeros(ITEMS)
    if closed_by:
        gate(closed_by).wait(1)
    else:
        gpustream._sleep(2_000_000)
    _write(array, lambda: value)
    return array


def add(*arrays):
    """The sum, computed in stream order."""
    total = numpy.zeros(ITEMS)
    _write(total, lambda: sum(arrays))
    return total


async def add_in_loop(*arrays):
    """The sum, computed by the event loop's thread at once."""
    return sum(arrays)


def eventually(ask, wanted, limit=240):
    end = time.monotonic() + limit
    while (found := ask()) != wanted and time.monotonic() < end:
        time.sleep(0.01)
    assert found == wanted


def meet(name, count, seconds):
    """Returns the thread and stream of one of several tasks that run at the same time."""
    with _lock:
        barrier = _barriers.setdefault(name, threading.Barrier(count))
    barrier.wait(seconds)
    stream = gpustream.current_stream()
    return threading.get_ident(), stream.stream_id, stream == gpustream.default_stream()


def share(name):
    """An interprocess event that is recorded behind a gate, in a stream that is not the task's: so it can leave at once."""
    event = gpustream.Event(interprocess=True)
    with gpustream.Stream():
        gate(name).wait(1)
        event.record()
    return event


def after(event, value):
    """An array that is written after an event of another process."""
    array = numpy.zeros(ITEMS)
    gpustream.current_stream().wait_event(event)
    _write(array, lambda: value)
    return array


_DIES = """
import gpustream, sys, time
event, stream = gpustream.Event(interprocess=True), gpustream.Stream()
with stream:
    gpustream._sleep(600_000_000_000)
    event.record()
sys.stdout.buffer.write(event.ipc_handle())
sys.stdout.flush()
sys.stdin.read()
"""


def lost_work():
    """An array whose work never runs: it waits for a process that is killed."""
    array = numpy.zeros(ITEMS)
    peer = subprocess.Popen([sys.executable, "-c", _DIES], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    event = gpustream.Event.from_ipc_handle(0, peer.stdout.read(64))
    with gpustream.Stream() as stream:
        stream.wait_event(event)
        done = stream.record_event()
    peer.kill()
    peer.communicate()
    gpustream.current_stream().wait_event(done)
    return array


def ignore(*given, **named):
    """Does not use what it is given."""


def fail_after_submitting(name):
    gate(name).wait(1)
    raise ValueError("as the test wants it")


def die(array):
    os.kill(os.getpid(), 9)


def synchronizes():
    return gpustream._stats()["synchronizes"]


def events(dask_worker):
    """How many results have an event."""
    return dask_worker.plugins["gpustream"].order.count()


def complete(keys, dask_worker):
    """How many of these results are complete."""
    order = dask_worker.plugins["gpustream"].order
    return sum(event.query() for key in keys for event in order.recorded(key))


class Neighbour:
    """A library that keeps a current stream for each thread, as CuPy and PyTorch do."""

    name = "neighbour"

    def __init__(self):
        self._threads = threading.local()

    def get(self, device_index):
        return getattr(self._threads, "stream", 0)

    def set(self, device_index, stream):
        self._threads.stream = stream


_neighbours = []


def load_neighbour():
    if not _neighbours:
        _neighbours.append(Neighbour())
        gpustream.interop.register_bridge(_neighbours[0])


def neighbours_stream(number):
    """Whether the library has the task's stream, and not the default one."""
    raw = gpustream.current_stream().cuda_stream
    return raw != 0 and _neighbours[0].get(0) == raw
