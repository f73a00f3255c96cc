# SPDX-License-Identifier: Apache-2.0
"""What Python says and does when the fake driver's device breaks under its work."""
import pytest

PROGRAM = """
import gc, threading
import gpustream
from gpustream import Buffer
from support.fake_driver import fake
from support.native import Gate
stream, gate, seen = gpustream.Stream(), Gate(), []
stream.record_event()  # an unused stream is known to be idle
def break_device():
    fake.fake_cuda_break_device(0, 700)
    gate.open()
def fails(kind, call):
    try:
        call()
    except kind as error:
        return error
    raise SystemExit(f"{kind} was not raised")
"""
CASES = {
    "deferred functions run": """
ran = threading.Event()
gate.hold(stream)
for _ in range(100):
    stream.defer(ran.set)
break_device()
assert ran.wait(50)""",
    "host functions are not called": """
gate.hold(stream)
stream.launch_host(lambda: seen.append(1))
break_device()
assert fails(gpustream.StickyError, stream.synchronize).native_code == 700 and not seen""",
    "callbacks are refused or reported": """
import sys
sys.unraisablehook = lambda item: seen.append((item.exc_type, item.object))
stream.add_done_callback(lambda: None)
stream.synchronize()
break_device()
fn = lambda: seen.append("called")
try:
    stream.add_done_callback(fn)
except gpustream.StickyError:
    pass
else:
    while not seen:
        pass
    assert issubclass(seen[0][0], gpustream.Error) and seen[0][1] is fn""",
    "entries carry it": """
queue, entries = gpustream.Queue(), []
gate.hold(stream)
for token in range(100):
    queue.add(stream, token)
break_device()
while len(entries) < 100:
    entries += queue.wait(30)
assert sorted(entry.token for entry in entries) == list(range(100))
assert {(entry.native_code, isinstance(entry.error, gpustream.Error), entry.status is entry.error.status) for entry in entries} == {(700, True, True)}""",
    "waits raise it": """
gate.hold(stream)
event = stream.record_event()
threading.Timer(0.05, break_device).start()
for wait in (stream.synchronize, event.synchronize, lambda: gpustream.wait_any([event]), lambda: gpustream.wait_all([event]), gpustream.synchronize):
    assert fails(gpustream.Error, wait).native_code == 700""",
    "errors name the origin": """
break_device()
first, second = fails(gpustream.StickyError, lambda: stream.synchronize(1)), fails(gpustream.StickyError, stream.query)
assert [(error.sticky, error.backend, error.native_code) for error in (first, second)] == [(True, "cuda", 700)] * 2
assert (first.function, second.function) == ("gs_stream_synchronize_for", "gs_stream_query")
assert "CUDA_ERROR_ILLEGAL_ADDRESS" in first.origin and first.origin == second.origin
other = fails(gpustream.InvalidDeviceError, lambda: gpustream.Stream(99))
assert not other.sticky and other.origin == "" """,
    "buffers end": """
buffers = [Buffer(64, stream=stream), Buffer(64), Buffer(64, pinned=True)]
buffers[1].record_stream(stream)
foreign = gpustream.from_dlpack(buffers[2])
break_device()
fails(gpustream.Error, buffers[0].to_bytes)
fails(gpustream.StickyError, lambda: Buffer(1))
buffers[0].close()
del foreign
buffers.clear()
gc.collect()""",
}


@pytest.mark.parametrize("case", CASES)
def test_a_broken_device(run_python, case):
    assert run_python(PROGRAM + CASES[case], GPUSTREAM_BACKEND="cuda", GPUSTREAM_LIBCUDA=pytest.fake_cuda()) == ""
