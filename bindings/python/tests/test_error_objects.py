# SPDX-License-Identifier: Apache-2.0
"""What an exception names: the stream, the event and the device that the failed call was given."""
import copy
import gc
import pickle

import gpustream
from support.refusals import raises


def test_a_device():
    error = raises(gpustream.InvalidDeviceError, lambda: gpustream.Stream(77))
    assert error.stream is None and error.event is None and error.stream_handle == error.event_handle == 0
    assert error.device.index == 77 and error.device.type == gpustream.Device(0).type
    assert raises(gpustream.Error, lambda: gpustream.Event().ipc_handle()).device is None  # of an event that is bound to none


def test_a_stream_and_an_event():
    first, other, event = gpustream.Stream(0), gpustream.Stream(1), gpustream.Event()
    event.record(first)
    error = raises(gpustream.DeviceMismatchError, lambda: event.record(other))
    assert error.stream == other and isinstance(error.stream, gpustream.Stream) and error.stream_handle == other.handle
    assert error.event_handle == event.handle and error.event.handle == event.handle and isinstance(error.event, gpustream.Event)
    assert error.device == other.device == gpustream.Device(1)
    with other:
        assert raises(gpustream.Error, event.record).stream == other  # the current one
    assert raises(gpustream.Error, lambda: gpustream.Event().ipc_handle()).stream is None


def test_the_default_stream():
    event = gpustream.Event()
    event.record(gpustream.Stream(1))
    error = raises(gpustream.Error, lambda: event.record(gpustream.default_stream(0)))
    assert error.stream == gpustream.default_stream(0) and error.device == gpustream.Device(0)


def test_what_has_ended_is_none():
    event, stream = gpustream.Event(), gpustream.Stream(1)
    event.record(gpustream.Stream(0))
    error = raises(gpustream.Error, lambda: event.record(stream))
    handle, number = stream.handle, event.handle
    del stream, event
    gc.collect()
    assert error.stream is None and error.event is None, "an exception keeps nothing alive"
    assert (error.stream_handle, error.event_handle, error.device) == (handle, number, gpustream.Device(1))


def test_objects_stay_in_their_process():
    first, other, event = gpustream.Stream(0), gpustream.Stream(1), gpustream.Event()
    event.record(first)
    error = raises(gpustream.Error, lambda: event.record(other))
    for again in (pickle.loads(pickle.dumps(error)), copy.copy(error), copy.deepcopy(error)):
        assert type(again) is type(error) and str(again) == str(error) and again.status is error.status
        assert again.stream is None and again.event is None and again.stream_handle == again.event_handle == 0
        assert again.device == error.device


def test_failures_of_this_package_name_none():
    error = raises((gpustream.Error, ValueError), lambda: gpustream.Device("cuda:99999999999"))
    if isinstance(error, gpustream.Error):
        assert error.stream is None and error.event is None and error.device is None
    error = gpustream.CudaError(2)
    assert error.stream is None and error.event is None and error.device is None
