# SPDX-License-Identifier: Apache-2.0
"""Events that are strict where asked: waits without a record, nodes, nanoseconds, absolute times."""
import asyncio
import time

import gpustream
import pytest
from support.refusals import raises


@pytest.fixture
def mode():
    yield gpustream.set_unrecorded_mode
    gpustream.set_unrecorded_mode("ignore")


def test_waits_without_a_record(mode):
    stream, event = gpustream.Stream(), gpustream.Event()
    assert gpustream.get_unrecorded_mode() == "ignore"
    stream.wait_event(event)
    mode("error")
    assert gpustream.get_unrecorded_mode() == "error"
    raises(gpustream.NotRecordedError, "this wait was never recorded", stream.wait_event, event)
    raises(ValueError, "mode must be one of", mode, "loud")
    mode("warn")
    with pytest.warns(RuntimeWarning, match="never recorded"):
        stream.wait_event(event)


def test_nanoseconds():
    stream, start, end, plain = gpustream.Stream(), gpustream.Event(True), gpustream.Event(True), gpustream.Event()
    raises(gpustream.TimingDisabledError, "enable_timing=True", start.elapsed_ns, plain)
    with pytest.raises(gpustream.NotRecordedError, match="before calculating elapsed time"):
        _ = end - start
    start.record(stream)
    end.record(stream)
    end.synchronize()
    assert end - start == start.elapsed_time(end) == -(start - end)
    assert start.elapsed_ns(end) == round((end - start) * 1e6) == -end.elapsed_ns(start)
    with pytest.raises(TypeError):
        _ = end - 1
    with pytest.raises(TypeError):
        _ = 1 - end


def test_nanoseconds_when_done(gate):
    stream, start, end, one = gpustream.Stream(), gpustream.Event(True), gpustream.Event(True), gate()
    start.record(stream)
    one.hold(stream)
    end.record(stream)
    raises(gpustream.NotReadyError, start.elapsed_ns, end)

    async def main():
        task = asyncio.ensure_future(start.elapsed_ns_async(end))
        await asyncio.sleep(0)
        assert not task.done()
        one.open()
        return await task

    assert asyncio.run(main()) == start.elapsed_ns(end) > 0


def test_absolute_times(gate):
    stream, event, one = gpustream.Stream(), gpustream.Event(True), gate()
    assert gpustream.calibrate() > 0
    before = time.monotonic_ns()
    event.record(stream)
    event.synchronize()
    after = time.monotonic_ns()
    at, error = event.host_time()
    assert error > 0 and before - error <= at <= after + error
    raises(gpustream.TimingDisabledError, "must be created with timing", lambda: gpustream.Event().host_time())
    one.hold(stream)
    event.record(stream)
    raises(gpustream.NotReadyError, event.host_time)
    one.open()
    raises(gpustream.InvalidDeviceError, gpustream.calibrate, 99)
