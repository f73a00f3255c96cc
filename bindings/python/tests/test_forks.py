# SPDX-License-Identifier: Apache-2.0
"""Forked children, and children of multiprocessing: what they are refused, and that the parent goes on."""
import multiprocessing
import os

import gpustream
import pytest

TEXT = ("the process was forked after gpustream, or CUDA by another library, had been initialised; start children by spawn or exec, or fork before "
        "the first use") if os.environ["GPUSTREAM_BACKEND"] == "host" else (
            "Cannot re-initialize CUDA in forked subprocess. To use CUDA with multiprocessing, you must use the 'spawn' start method")

EVERYTHING = """
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


FORKED = """
import asyncio, gc, os, sys
import gpustream
from support.forked import in_child, refused
stream, event = gpustream.Stream(), gpustream.Event()
%s
stream.synchronize()
print("goes on")
"""
# What a program had before the fork, what is refused in the child, and what works on in the parent.
REFUSED = {
    "awaits": """
async def main():
    await stream
asyncio.run(main())
refused(lambda: asyncio.run(main()))
asyncio.run(main())""",
    "buffers": """
from gpustream import Buffer
whole, pinned = Buffer.zeros(64, stream=stream), Buffer(64, pinned=True)
part, used, seen = whole[3:5], Buffer(64), Buffer.zeros(8, pinned=True)
used.record_stream(stream)
view, foreign = memoryview(seen), gpustream.from_dlpack(seen)
refused(lambda: Buffer(1), lambda: Buffer(1, pinned=True), lambda: whole.fill_(1), whole.to_bytes, lambda: memoryview(pinned), lambda: used.copy_(bytes(64)))
in_child(lambda: (pinned.close(), globals().update(whole=None, part=None, used=None, view=None, foreign=None, seen=None)))
assert whole.to_bytes() == bytes(64)""",
    "captures": """
graph = gpustream.CUDAGraph()
with stream:
    graph.capture_begin()
    refused(graph.capture_end)
    assert stream.is_capturing()
    gpustream._memset_async(gpustream._malloc_host(8), 1, 8)
    graph.capture_end()
graph.replay()
gpustream.synchronize()""",
    "functions": """
seen = []
stream.launch_host(lambda: seen.append(0))
stream.synchronize()
refused(lambda: stream.launch_host(print), lambda: stream.add_done_callback(print), lambda: stream.defer(print), lambda: stream.keep(1))
stream.launch_host(lambda: seen.append(1))
stream.synchronize()
assert seen == [0, 1]""",
    "green contexts": """
context = gpustream.GreenContext(num_sms=1)
refused(context.Stream)
in_child(lambda: (context.close(), gc.collect()))
context.Stream().synchronize()""",
    "memory": """
pointer, pool = gpustream.caching_allocator_alloc(512), gpustream.MemPool()
with gpustream.use_mem_pool(pool): pass
def look():
    assert gpustream.memory_allocated() == 0 and gpustream.memory_stats() == {}
    assert gpustream.memory_snapshot() == [] and pool.memory_stats() == {}
    gpustream.empty_cache()
in_child(look)
refused(lambda: gpustream.caching_allocator_delete(pointer))
assert gpustream.memory_allocated() == 512""",
    "telemetry": "gpustream.set_device(1)\nrefused(gpustream.temperature, gpustream._get_nvml_device_index)",
    "profiler": "refused(gpustream.profiler.start)",
    "queues": """
queue = gpustream.Queue()
queue.add(stream, 1)
refused(queue.poll, queue.wait, queue.fileno, lambda: queue.add(stream, 2), gpustream.Queue, lambda: stream.synchronize(1), lambda: gpustream.wait_any([stream]))
assert queue.wait()[0].token == 1""",
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused_in_a_child(run_python, name):
    assert run_python(FORKED % REFUSED[name], PYTHONWARNINGS="ignore").split() == ["goes", "on"]


def test_numpy_in_a_child(run_python):
    pytest.importorskip("numpy", reason="no wheel of NumPy for this interpreter")
    run_python(FORKED % "import numpy\nbuffer = gpustream.Buffer.zeros(8, pinned=True)\nrefused(lambda: numpy.asarray(buffer))", PYTHONWARNINGS="ignore")


def test_forked_child(run_python):
    assert run_python("import warnings; warnings.simplefilter('ignore', DeprecationWarning)\n" + EVERYTHING.format(text=TEXT)).split() == ["child", "0"]


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
