# SPDX-License-Identifier: Apache-2.0
"""Events of a device type (rows D2, D7 and D8): gpustream.generic.Event("host") beside whatever is the default backend."""
import gpustream
import pytest


def test_generic_event_keeps_to_its_device_type():
    wanted = "host"
    event = gpustream.generic.Event(wanted)
    if gpustream.Device("cuda").type == "host":
        event.record(gpustream.Stream())
        assert event.device.type == "host"
    else:
        with pytest.raises(RuntimeError, match="Event device type host does not match recording stream's device type cuda."):
            event.record(gpustream.Stream())
        event.record(gpustream.Stream("host:0"))
        assert event.device == gpustream.Device("host", 0)


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
