# SPDX-License-Identifier: Apache-2.0
"""The current stream (rows G1 to G10)."""
import sys
import weakref

import gpustream
import pytest
from support.refusals import raises


def test_the_object_that_is_there_is_given():
    """A stream that has an object gets no second one, which might keep the stream alive or change its class."""
    assert gpustream.current_stream() is gpustream.current_stream(0) is gpustream.default_stream()
    stream = gpustream.Stream()
    with stream:
        assert gpustream.current_stream() is stream
    gpustream.set_stream(stream)
    assert gpustream.current_stream() is gpustream.current_stream("cuda:0") is stream
    again = gpustream.Stream(stream_id=stream.stream_id, device_index=0)
    with again:
        assert gpustream.current_stream() is again
    del again
    assert gpustream.current_stream() == stream

    class Named(gpustream.Stream):
        pass

    for other in (Named(), gpustream.generic.Stream(), gpustream.ExternalStream(stream.cuda_stream)):
        with other:
            assert type(gpustream.current_stream()) is gpustream.Stream and gpustream.current_stream() == other


def test_the_object_that_is_there_is_not_kept():
    gpustream.set_stream(gpustream.default_stream())
    stream = gpustream.Stream()
    with stream:
        assert gpustream.current_stream() is stream
    borrowed, ref = gpustream._core.borrow_stream(stream.handle), weakref.ref(stream)
    del stream
    assert ref() is None
    raises(gpustream.InvalidHandleError, borrowed.query)
    streams = [gpustream.Stream() for _ in range(300)]  # more than have a place to be remembered in
    for stream in streams + streams[::-1]:
        with stream:
            assert gpustream.current_stream() is stream


def test_an_object_that_ends_is_not_given():
    """A weak reference's callback runs while the object is on its way out, its stream still current."""
    stream, seen = gpustream.Stream(), []
    handle, ref = stream.handle, weakref.ref(stream, lambda _: seen.append(gpustream.current_stream()))
    gpustream.set_stream(stream)
    assert gpustream.current_stream() is stream
    del stream
    assert ref() is None and seen[0].handle == handle and seen[0].query() in (True, False)


def test_closing_what_is_current():
    stream = gpustream.Stream()
    with stream:
        number = stream.stream_id
        stream.close()
        other = gpustream.current_stream()  # the thread holds the stream itself
        assert other is not stream and other.stream_id == number
        other.synchronize()
    default = gpustream.default_stream()
    default.close()  # all callers share this object
    assert default.query() in (True, False) and gpustream.default_stream() is default
    borrowed = gpustream._core.borrow_stream(other.handle)
    with borrowed:
        assert gpustream.current_stream() is not borrowed
    gpustream._core.detach(default)
    assert gpustream.default_stream() is default


def test_exceptions_restore():
    stream = gpustream.Stream(1)
    for manager in (stream, gpustream.stream(stream), gpustream.StreamContext(stream)):
        with pytest.raises(KeyError), manager:
            raise KeyError
        assert gpustream.current_device() == 0
        assert gpustream.current_stream(1) == gpustream.default_stream(1)


def test_entering_by_hand():
    """What `with` asks for, asked for by name: it can be kept, called again, and belongs to its stream."""
    one, two = gpustream.Stream(), gpustream.Stream()
    enter_one, enter_two, again = one.__enter__, two.__enter__, one.__enter__
    assert enter_one.__self__ is one is again.__self__ and enter_two.__self__ is two
    for enter, stream in ((enter_one, one), (enter_two, two), (again, one), (enter_one, one)):
        assert enter() is stream and gpustream.current_stream() is stream
        stream.__exit__(None, None, None)
    raises(TypeError, enter_one, 1)
    raises(TypeError, enter_one, stream=one)
    count = sys.getrefcount(one)
    del enter_one, again, enter
    assert sys.getrefcount(one) == count - 2
    ref, last = weakref.ref(one), one.__enter__
    del one, stream
    assert last() is ref() and gpustream.current_stream() is ref()
    ref().__exit__(None, None, None)
    del last
    assert ref() is None
    assert gpustream.Stream.__enter__ is gpustream.ExternalStream.__enter__
    assert gpustream.Stream.__enter__(two) is two
    two.__exit__(None, None, None)
    raises(TypeError, gpustream.Stream.__enter__, 7)

    class Named(gpustream.Stream):
        pass

    for other in (Named(), gpustream.generic.Stream()):
        with other as entered:
            assert entered is other


def test_reentrant():
    one, two = gpustream.Stream(), gpustream.Stream()
    context = gpustream.stream(one)
    with one, two, one, context, context:
        assert gpustream.current_stream() == one
    assert gpustream.current_stream() == gpustream.default_stream()
    with context:
        with two:
            with context:
                assert gpustream.current_stream() == one
            assert gpustream.current_stream() == two
        assert gpustream.current_stream() == one


def test_stream_context_with_none():
    class Counting(gpustream.Stream):
        entered = 0

        def __enter__(self):
            self.entered += 1
            return super().__enter__()

    mine = Counting()
    with gpustream.stream(mine):
        assert gpustream.current_stream() == mine and mine.entered == 0, "its __exit__ will not be called either"
    with gpustream.stream(None) as entered:
        assert entered is None
        assert gpustream.current_stream() == gpustream.default_stream()


def test_set_stream():
    stream = gpustream.Stream(1)
    gpustream.set_stream(stream)
    assert gpustream.current_device() == 1 and gpustream.current_stream() == stream
    gpustream.set_stream(None)
    assert gpustream.current_stream() == stream
    gpustream._set_stream_by_id(0, 0, stream.device_type)
    assert gpustream.current_device() == 0
    gpustream._set_stream_by_id(stream_id=stream.stream_id, device_index=1, device_type=stream.device_type)
    assert gpustream.current_stream() == stream
    for wrong in (7, "stream", gpustream.Event()):
        raises(TypeError, gpustream.set_stream, wrong)
    assert gpustream.current_stream() == stream


def test_exchange():
    one, two = gpustream.Stream(), gpustream.Stream()
    assert gpustream._exchange_stream(one) == gpustream.default_stream()
    assert gpustream._exchange_stream(two) == one


def test_subclass_may_override_exit():
    left = []

    class Noted(gpustream.Stream):
        def __exit__(self, *exception):
            left.append(exception[0])
            return super().__exit__(*exception)

    with pytest.raises(KeyError), Noted():
        raise KeyError
    assert left == [KeyError] and gpustream.current_stream() == gpustream.default_stream()


def test_sleep_goes_to_the_current_stream():
    stream = gpustream.Stream()
    before = gpustream._stats()["driver_calls"]
    with stream:
        gpustream._sleep(1000)
    assert gpustream._stats()["driver_calls"] > before
    stream.synchronize()
    for wrong in (-1, "x", 1.5, None, 2**64):
        raises((TypeError, OverflowError), gpustream._sleep, wrong)


def test_no_driver_call_in_a_with_block():
    stream = gpustream.Stream()
    with stream:
        pass
    before = gpustream._stats()["driver_calls"]
    for _ in range(100):
        with stream:
            gpustream.current_stream()
    assert gpustream._stats()["driver_calls"] == before
