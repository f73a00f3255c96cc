# SPDX-License-Identifier: Apache-2.0
"""Streams by torch.cuda's rules: rows A1 to A19 and C1 to C22 of the feature list."""
import ctypes
import weakref

import gpustream
import pytest
from support.refusals import raises


def backend():
    return gpustream.Device("cuda").type


def test_every_call_form():
    for stream in (gpustream.Stream(), gpustream.Stream(None), gpustream.Stream(device=None), gpustream.Stream(-1),
                   gpustream.Stream(-7), gpustream.Stream(0), gpustream.Stream(device=0), gpustream.Stream("cuda"),
                   gpustream.Stream("cuda:0"), gpustream.Stream(gpustream.Device("cuda", 0)), gpustream.Stream(0, 0),
                   gpustream.Stream(0, priority=0), gpustream.Stream(priority=0), gpustream.Stream(shared=True)):
        assert stream.device == gpustream.Device("cuda:0")
    for stream in (gpustream.Stream(1), gpustream.Stream(device=1), gpustream.Stream("cuda:1"), gpustream.Stream(1, 0)):
        assert stream.device_index == 1


def test_attributes():
    stream = gpustream.Stream(1, priority=-1)
    assert isinstance(stream.device, gpustream.Device)
    assert str(stream.device) == f"{backend()}:1"
    assert (stream.device_index, stream.device_type) == (1, {"host": 1, "cuda": 2}[backend()])
    assert stream.stream_id > 2**48 and stream.handle > 2**48
    assert stream.priority == -1
    assert isinstance(stream.cuda_stream, int) and stream.cuda_stream > 0
    assert stream.is_capturing() is False
    for name in ("device", "priority", "cuda_stream", "stream_id", "handle"):
        raises(AttributeError, setattr, stream, name, 1)


def test_default_stream():
    default = gpustream.default_stream()
    assert default.cuda_stream == 0 and default.stream_id == 0 and default.priority == 0
    assert default == gpustream.default_stream(0) == gpustream.default_stream("cuda:0")
    assert default != gpustream.default_stream(1)
    assert repr(default) == f"<gpustream.Stream device={backend()}:0 cuda_stream=0x0>"


def test_priorities():
    least, greatest = gpustream.Stream.priority_range()
    assert least == 0 > greatest
    assert gpustream.Stream().priority_range() == (least, greatest)
    assert gpustream.Stream(priority=greatest - 100).priority == greatest
    assert gpustream.Stream(priority=least + 100).priority == least
    assert gpustream.Stream(priority=-(2**62)).priority == greatest
    raises(OverflowError, gpustream.Stream, priority=2**64)


def test_rebuilding_from_ids():
    stream = gpustream.Stream(1)
    again = gpustream.Stream(stream_id=stream.stream_id, device_index=stream.device_index, device_type=stream.device_type)
    assert again == stream and again is not stream and hash(again) == hash(stream)
    assert again.cuda_stream == stream.cuda_stream
    assert gpustream.generic.Stream(stream.stream_id, stream.device_index, stream.device_type) == stream
    assert gpustream.generic.Stream(stream.stream_id, stream.device_index, stream.device_type, priority=-3) == stream
    assert gpustream.Stream(stream_id=stream.stream_id, device_index=1) == stream
    with pytest.raises(gpustream.DeviceMismatchError):
        gpustream.Stream(stream_id=stream.stream_id, device_index=0, device_type=stream.device_type)
    stale = stream.stream_id
    del stream, again
    raises(gpustream.InvalidHandleError, gpustream.Stream, stream_id=stale, device_index=1)
    raises(TypeError, "both stream_id and device_index", gpustream.Stream, device_index=1)


def test_equality_and_hash():
    one, other = gpustream.Stream(), gpustream.Stream()
    assert (one == one) is True and (one != one) is False
    assert (one == other) is False and (one != other) is True
    for stranger in (None, 7, "stream", object(), gpustream.Event()):
        assert (one == stranger) is False
        assert (one != stranger) is True  # also for None: torch's != does not say so
    for compare in ("__lt__", "__le__", "__gt__", "__ge__"):
        assert getattr(one, compare)(other) is NotImplemented
    with pytest.raises(TypeError):
        _ = one < other
    assert len({one, other, gpustream.Stream(stream_id=one.stream_id, device_index=0)}) == 2


def test_representation():
    stream = gpustream.Stream(1)
    assert repr(stream) == f"<gpustream.Stream device={backend()}:1 cuda_stream={stream.cuda_stream:#x}>"
    generic = gpustream.generic.Stream(1)
    assert repr(generic) == f"gpustream.generic.Stream device_type={backend()}, device_index=1, stream_id={generic.stream_id}"
    assert str(stream) == repr(stream)


def test_hierarchy():
    assert issubclass(gpustream.Stream, gpustream.generic.Stream)
    assert issubclass(gpustream.ExternalStream, gpustream.Stream)
    assert isinstance(gpustream.current_stream(), gpustream.Stream)
    assert gpustream.Stream.__module__ == "gpustream" and gpustream.Stream.__qualname__ == "Stream"
    assert gpustream.generic.Stream.__module__ == "gpustream.generic"
    assert not hasattr(gpustream.generic.Stream(), "cuda_stream")


def test_record_and_wait_event_forms():
    stream, other = gpustream.Stream(), gpustream.Stream(1)
    event = stream.record_event()
    assert type(event) is gpustream.Event and event.query() in (True, False)
    assert event._flags == 0
    assert stream.record_event(event) is event and stream.record_event(event=event) is event
    assert type(stream.record_event(None)) is gpustream.Event
    assert type(gpustream.generic.Stream().record_event()) is gpustream.generic.Event
    assert stream.wait_event(event) is None and other.wait_event(event=event) is None
    assert other.wait_stream(stream) is None and other.wait_stream(stream=stream) is None


@pytest.mark.parametrize("call", [
    lambda s: s.wait_event(None), lambda s: s.wait_event(s), lambda s: s.wait_event(), lambda s: s.wait_stream(7),
    lambda s: s.wait_stream(None), lambda s: s.wait_stream(gpustream.Event()), lambda s: s.wait_stream(),
    lambda s: s.record_event(3), lambda s: s.record_event(s), lambda s: s.wait_event(1, 2), lambda s: s.query(1),
    lambda s: s.wait_event(evnt=1), lambda s: s.wait_event(gpustream.Event(), event=gpustream.Event()),
    lambda s: s.launch_host(7), lambda s: gpustream.Stream(device=1.5), lambda s: gpustream.Stream(device=True),
    lambda s: gpustream.Stream(priority=None), lambda s: gpustream.Stream(priority=1.0), lambda s: gpustream.Stream(0, 0, 0),
    lambda s: gpustream.Stream(prio=1), lambda s: gpustream.Stream(shared="yes"), lambda s: gpustream.Stream(0, device=0),
    lambda s: gpustream.Stream(stream_id="x", device_index=0), lambda s: gpustream.Stream([]),
])
def test_wrong_arguments_are_type_errors(call):
    stream = gpustream.Stream()
    raises(TypeError, call, stream)
    stream.synchronize()


def test_messages_name_the_argument():
    stream = gpustream.Stream()
    raises(TypeError, r"wait_event\(\): argument 'event' must be Event, not NoneType", stream.wait_event, None)
    raises(TypeError, "argument 'stream' must be a stream, not int", stream.wait_stream, 7)
    raises(TypeError, r"Stream\(\): argument 'priority' must be int, not bytes", gpustream.Stream, priority=b"high")


def test_ctypes_takes_it():
    stream = gpustream.Stream()
    assert isinstance(stream._as_parameter_, ctypes.c_void_p)
    assert ctypes.cast(stream._as_parameter_, ctypes.c_void_p).value == stream.cuda_stream
    for function in (ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)(lambda x: x), passes_on()):
        assert function(stream) == stream.cuda_stream == function(stream._as_parameter_)
        assert function(gpustream.default_stream()) is None and function(gpustream.generic.Stream()) > 0
    assert stream.__cuda_stream__() == (0, stream.cuda_stream)


def passes_on():
    """A C function without argument types, which ctypes finds the way to by itself: memmove(3) of no bytes."""
    function = ctypes.CDLL(None).memmove
    function.restype = ctypes.c_void_p
    return lambda thing: function(thing, thing, 0)


def test_representation_never_raises():
    for stream in (gpustream.Stream(), gpustream.generic.Stream()):
        stream.close()
        assert repr(stream) == str(stream) == "<gpustream.Stream closed>"
    gone = gpustream.Stream()
    borrowed = gpustream._core.borrow_stream(gone.handle)
    del gone
    assert repr(borrowed) == "<gpustream.Stream unusable: INVALID_HANDLE>"


def test_weak_references():
    stream = gpustream.Stream()
    gone = []
    ref = weakref.ref(stream, gone.append)
    assert ref() is stream
    del stream
    assert ref() is None and len(gone) == 1


def test_closed():
    stream = gpustream.Stream()
    stream.close()
    stream.close()
    for call in (stream.query, stream.synchronize, stream.__enter__, stream.record_event, stream.is_capturing,
                 lambda: stream.device, lambda: stream.cuda_stream, lambda: hash(stream), lambda: stream.wait_stream(stream),
                 lambda: gpustream.set_stream(stream), lambda: gpustream.Event().record(stream)):
        raises(gpustream.InvalidHandleError, "^the stream is closed$", call)
    assert gpustream.current_stream() == gpustream.default_stream()


def test_a_list_with_a_closed_stream_can_be_searched():
    closed, other = gpustream.Stream(), gpustream.Stream()
    streams = [closed, other]
    closed.close()
    assert closed == closed and (closed == other) is (other == closed) is False and closed != other
    assert other in streams
    streams.remove(other)
    assert streams.index(closed) == 0


def test_never_initialised():
    class Named(gpustream.Stream):
        def __init__(self, name):
            """Forgets to pass on something that a stream can be made of."""

    stream = Named("copy")
    assert repr(stream) == "<gpustream.Named closed>"
    raises(gpustream.InvalidHandleError, stream.query)
    gpustream.Stream.__init__(stream)
    assert stream.query() is True
