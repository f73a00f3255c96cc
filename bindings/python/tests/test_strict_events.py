# SPDX-License-Identifier: Apache-2.0
"""Events that are strict where asked: waits without a record, nanoseconds, absolute times; and events of a device type (rows D2, D7 and D8)."""
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
    raises(gpustream.NotRecordedError, "event 0x[0-9a-f]+ was never recorded, and set_unrecorded_mode", stream.wait_event, event)
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


def test_generic_event_keeps_to_its_device_type():
    wanted = "host"
    event = gpustream.generic.Event(wanted)
    if gpustream.Device("cuda").type == "host":
        event.record(gpustream.Stream())
        assert event.device.type == "host"
    else:
        for record in (event.record, lambda stream: stream.record_event(event)):
            with pytest.raises(gpustream.NotSupportedError, match="^Event device type host does not match recording stream's "
                               "device type cuda.$") as caught:
                record(gpustream.Stream())
            assert isinstance(caught.value, RuntimeError) and caught.value.status is gpustream.Status.NOT_SUPPORTED
        event.record(gpustream.Stream("host:0"))
        assert event.device == gpustream.Device("host", 0)


@pytest.mark.skipif(gpustream.Device("cuda").type == "host", reason="no GPU, which would be a second device type")
@pytest.mark.parametrize("recorded", ["none", "host", "cuda", "both"])
def test_elapsed_time_across_device_types(recorded):
    """As in torch the types come before flags and records (driver.md, generic torch.Event)."""
    for timing in (True, False):
        host, cuda = gpustream.generic.Event("host", enable_timing=timing), gpustream.generic.Event("cuda")
        if recorded in ("host", "both"):
            host.record(gpustream.Stream("host:0"))
        if recorded in ("cuda", "both"):
            cuda.record(gpustream.Stream())
        for start, end, one, other in ((host, cuda, "host", "cuda"), (cuda, host, "cuda", "host")):
            caught = raises(gpustream.NotSupportedError, start.elapsed_time, end)
            assert str(caught) == f"Event device type {one} does not match other's device type {other}."
            assert isinstance(caught, RuntimeError) and caught.status is gpustream.Status.NOT_SUPPORTED


@pytest.mark.skipif(gpustream.Device("cuda").type == "host", reason="no GPU, which would be a second device type")
def test_elapsed_time_of_events_for_any_type():
    bound, free, other = gpustream.generic.Event(), gpustream.generic.Event(), gpustream.Event(True)
    bound.record(gpustream.Stream("host:0"))
    raises(gpustream.NotRecordedError, bound.elapsed_time, free)
    other.record(gpustream.Stream())
    raises(gpustream.NotSupportedError, "^Event device type cuda does not match other's device type host.$", other.elapsed_time, bound)
    bound.close()
    raises(gpustream.InvalidHandleError, other.elapsed_time, bound)


def test_generic_event_without_a_stream_uses_its_own_backend(gate):
    """None is the current stream of the event's type, whatever the current device is."""
    stream, held, event = gpustream.Stream("host:0"), gate(), gpustream.generic.Event("host")
    with stream:
        gpustream.set_device(gpustream.Device("cuda:1"))  # the stream stays current on its own device
        if gpustream.Device("cuda").type == "host":
            gpustream.set_device(0)
        held.hold(stream)
        event.record()
        assert event.device == gpustream.Device("host", 0) and event.query() is False
        event.wait()
    other = gpustream.Stream("host:0")
    with other:
        gpustream.set_device(gpustream.Device("cuda:0"))
        event.wait()
        assert other.query() is False
    held.open()
    other.synchronize()
    assert event.query() is True
