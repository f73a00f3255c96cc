# SPDX-License-Identifier: Apache-2.0
"""Events of a device type (rows D2, D7 and D8): gpustream.generic.Event("host") beside whatever is the default backend."""
import gpustream
import pytest
from support.refusals import raises


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
            with pytest.raises(gpustream.NotSupportedError) as caught:
                start.elapsed_time(end)
            assert str(caught.value) == f"Event device type {one} does not match other's device type {other}."
            assert isinstance(caught.value, RuntimeError) and caught.value.status is gpustream.Status.NOT_SUPPORTED


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
