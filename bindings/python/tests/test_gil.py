# SPDX-License-Identifier: Apache-2.0
"""Who holds the GIL: GPUSTREAM_GIL. Each case in a process of its own, as the variable is read at the import."""
import re
import subprocess
from pathlib import Path

import gpustream
import pytest
from support import signatures
from support.at_once import FREE

SOURCE = Path(__file__).parent / "support/full_queue.c"

# With an endless switch interval another thread runs only while the GIL is given up.
WHO_RUNS = """
import sys, threading
import gpustream
stream, event, lock, seen = gpustream.Stream(), gpustream.Event(), threading.Lock(), []
lock.acquire()

def other():
    lock.acquire()
    seen.append(1)

thread = threading.Thread(target=other)
sys.setswitchinterval(1000)
thread.start()  # the interval is that of its way to the lock, too: the lock is where it gives the GIL back
lock.release()
for _ in range(10_000):
    event.record(stream)
    event.query(), event.wait(stream)
    with stream:
        pass
while gpustream._core.gives_up_gil and not seen:
    event.query()
print(gpustream._core.gives_up_gil, len(seen))
sys.setswitchinterval(0.005)
thread.join()
"""


@pytest.mark.parametrize("word, answer", [("", "0 0"), ("keep", "0 0"), ("release", "1 1")])
def test_settings(run_python, word, answer):
    out = run_python(WHO_RUNS, GPUSTREAM_GIL=word).strip()
    assert out[0] == answer[0] if FREE else out == answer  # without a GIL the other thread may run or not


def test_another_word_is_reported(run_python):
    out = run_python("import gpustream; print(gpustream._core.gives_up_gil)", GPUSTREAM_GIL="maybe")
    assert out.startswith("0\n<string>:1: RuntimeWarning: gpustream: GPUSTREAM_GIL=maybe is ignored: it is keep or release\n"), out


@pytest.fixture(scope="module")
def full_queue(tmp_path_factory):
    """A driver whose queue can be full, in front of the fake one."""
    target = tmp_path_factory.mktemp("driver") / "libcuda.so.1"
    subprocess.run(["cc", "-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-pthread", str(SOURCE), "-o", str(target)],
                   check=True)
    return str(target)


# One call waits for room in the queue, which comes when Python code of another thread says so. With the GIL held that
# would be never.
WAITS_FOR_ROOM = """
import ctypes, os, sys, threading
import gpustream
queue = ctypes.CDLL(os.environ["GPUSTREAM_LIBCUDA"])
stream, other = gpustream.Stream(), gpustream.Stream()
graph, word = gpustream.Graph(), gpustream.Buffer(4)
pointer, *kept = [gpustream._malloc_async(64) for _ in range(17)]
for one in kept:  # so that the stream keeps as many as it does: the next free is the driver's
    gpustream._free_async(one)
event, recorded, start, end = gpustream.Event(), gpustream.Event(), gpustream.Event(True), gpustream.Event(True)
for one in (event, start, end):
    one.record(stream)
with stream:
    gpustream._sleep(1000)
stream.synchronize()
recorded.record(stream)  # not known to be complete: queries and waits ask the driver
call = {
    "record": lambda: event.record(stream), "record_event": lambda: stream.record_event(event), "wait": lambda: recorded.wait(other),
    "wait_event": lambda: other.wait_event(recorded), "wait_stream": lambda: other.wait_stream(stream), "query": recorded.query,
    "stream query": stream.query, "elapsed": lambda: start.elapsed_time(end),
    "callback": lambda: stream.add_done_callback(int), "host function": lambda: stream.launch_host(int), "sleep": lambda: gpustream._sleep(1000), "allocate": lambda: gpustream._malloc_async(4096),
    "fill": lambda: gpustream._memset_async(pointer, 0, 64), "free": lambda: gpustream._free_async(pointer), "graph": gpustream.Graph,
    "condition": lambda: graph.add_if(word),  # loads a kernel, for which a driver waits until the device has ended its work
}[sys.argv[1]]
ran = []

def make_room():
    while not queue.full_queue_waiting():
        pass
    ran.append(1)
    queue.full_queue_set(0)

thread = threading.Thread(target=make_room)
queue.full_queue_set(1)
thread.start()
call()
print(len(ran))
queue.full_queue_set(0)
thread.join()
gpustream.synchronize()
"""
CALLS = re.findall(r'"([a-z_ ]+)": ', WAITS_FOR_ROOM)


@pytest.mark.parametrize("call", CALLS)
def test_a_call_that_waits_for_room_lets_others_run(run_python, full_queue, call):
    out = run_python(WAITS_FOR_ROOM, call, GPUSTREAM_BACKEND="cuda", GPUSTREAM_LIBCUDA=full_queue, FULL_QUEUE_DRIVER=pytest.fake_cuda(),
                     GPUSTREAM_GIL="release")
    assert out.split() == ["1"], out


# As WAITS_FOR_ROOM, but what is held is the driver's or NVML's own work, and the setting plays no part.
TAKES_ITS_TIME = """
import ctypes, os, sys, threading
import gpustream
held = ctypes.CDLL(os.environ[sys.argv[1]])
hold, waiting = (held.full_queue_set, held.full_queue_waiting) if sys.argv[1] == "GPUSTREAM_LIBCUDA" else (held.fake_nvml_hold, held.fake_nvml_waiting)
ran = []

def let_go():
    while not waiting():
        pass
    ran.append(1)
    hold(0)

thread = threading.Thread(target=let_go)
hold(1)
thread.start()
exec(sys.argv[2])
print(len(ran))
hold(0)
thread.join()
"""


@pytest.mark.parametrize("call", ["gpustream.set_device(0)", "gpustream.device(1).__enter__()", "gpustream._maybe_exchange_device(1)",
                                  "gpustream._exchange_device(1)", "gpustream.current_device()", "gpustream.init()", "gpustream.Stream()",
                                  "gpustream.current_stream()", "gpustream.synchronize()", "gpustream.get_device_properties(0)"])
def test_the_first_use_lets_others_run(run_python, full_queue, call):
    out = run_python(TAKES_ITS_TIME, "GPUSTREAM_LIBCUDA", call, GPUSTREAM_BACKEND="cuda", GPUSTREAM_LIBCUDA=full_queue,
                     FULL_QUEUE_DRIVER=pytest.fake_cuda(), GPUSTREAM_GIL="")
    assert out.split() == ["1"], out


@pytest.mark.parametrize("call", ["buffer.to_bytes()", "buffer.copy_(b'x' * 64)", "gpustream._memcpy_async(buffer.ptr, pointer, 64)"])
def test_a_copy_of_pageable_memory_lets_others_run(run_python, full_queue, call):
    code = TAKES_ITS_TIME.replace("ran = []", "buffer, pointer, ran = gpustream.Buffer.zeros(64), gpustream._malloc_host(64), []")
    out = run_python(code, "GPUSTREAM_LIBCUDA", call, GPUSTREAM_BACKEND="cuda", GPUSTREAM_LIBCUDA=full_queue,
                     FULL_QUEUE_DRIVER=pytest.fake_cuda(), GPUSTREAM_GIL="")
    assert out.split() == ["1"], out


@pytest.mark.parametrize("before", ["", "gpustream.init(); "])
@pytest.mark.parametrize("call", ["utilization(0)", "memory_usage(0)", "temperature(1)", "power_draw(0)", "clock_rate(0)", "mem_get_info(0)",
                                  "_raw_device_count_nvml()", "_raw_device_uuid_nvml()", "_get_nvml_device_index(0)"])
def test_nvml_lets_others_run(run_python, call, before):
    # What init() does is done before the hold.
    code = TAKES_ITS_TIME.replace("ran = []", f"ran = []\n{before}")
    assert run_python(code, "GPUSTREAM_LIBNVML", f"gpustream.{call}", **pytest.fakes()).split() == ["1"]


@pytest.mark.parametrize("call", ["device_count()", "is_available()"])
def test_counting_lets_others_run(run_python, call):
    assert run_python(TAKES_ITS_TIME, "GPUSTREAM_LIBNVML", f"gpustream.{call}", **pytest.fakes()).split() == ["1"]


@pytest.mark.skipif(FREE, reason="without a GIL no thread waits for it")
def test_without_the_setting_it_does_not(run_python, full_queue):
    """What the cases above would do: the watchdog, which needs no GIL, finds the process stuck."""
    code = WAITS_FOR_ROOM.replace("\ncall()\n", "\nimport faulthandler; faulthandler.dump_traceback_later(2, exit=True)\ncall()\n")
    assert code != WAITS_FOR_ROOM
    out = run_python(code, "record", status=1, GPUSTREAM_BACKEND="cuda", GPUSTREAM_LIBCUDA=full_queue,
                     FULL_QUEUE_DRIVER=pytest.fake_cuda(), GPUSTREAM_GIL="")
    assert out.startswith("Timeout"), out


def test_the_cost_of_calls_on_streams_and_events():
    """Everything of the header that takes a stream or an event, or makes one of something foreign, may wait for the driver's
    queue, but for what only looks at the library's own tables and what waits for more."""
    own_tables = {f"gs_stream_{what}" for what in ("create", "retain", "destroy", "native", "id", "device", "equal", "get_info",
                                                   "pack", "unpack", "into_native", "set_name")}
    own_tables |= {f"gs_stream_{what}_capture" for what in ("begin", "end", "abort")} | {"gs_stream_begin_capture_to"}  # more than a queue
    own_tables |= {f"gs_event_{what}" for what in ("create", "retain", "destroy", "native", "id", "device", "get_info", "into_native", "set_name")}
    cost = {name: one.cost for name, one in signatures.functions().items() if name.startswith(("gs_stream_", "gs_event_"))}
    assert {name for name in cost if cost[name] not in ("queue", "wait")} == own_tables - {"gs_stream_create"}
    listed = signatures.calls_that_release_the_gil("GS_MAY_RELEASE_GIL")
    assert listed == {name for name, one in signatures.functions().items() if one.cost in ("queue", "driver")} and listed <= set(dir(gpustream._core))
