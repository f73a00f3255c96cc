# SPDX-License-Identifier: Apache-2.0
"""The current stream (rows G1 to G10)."""
import contextlib

import gpustream
import pytest


def test_starts_with_default_streams():
    assert gpustream.current_stream() == gpustream.default_stream()
    assert gpustream.current_stream(1) == gpustream.default_stream(1)
    assert gpustream.current_stream(device="cuda:1") == gpustream.default_stream(device=1)
    assert gpustream.current_stream() is not gpustream.current_stream()


def test_with_a_stream():
    stream = gpustream.Stream()
    with stream as entered:
        assert entered is stream
        assert gpustream.current_stream() == stream
        assert gpustream.current_stream(1) == gpustream.default_stream(1)
    assert gpustream.current_stream() == gpustream.default_stream()


def test_with_another_devices_stream():
    here, there = gpustream.Stream(0), gpustream.Stream(1)
    with here:
        with there:
            assert gpustream.current_device() == 1
            assert gpustream.current_stream() == there and gpustream.current_stream(0) == here
        assert gpustream.current_device() == 0
        assert gpustream.current_stream(1) == gpustream.default_stream(1)
        assert gpustream.current_stream() == here


def test_exceptions_restore():
    stream = gpustream.Stream(1)
    for manager in (stream, gpustream.stream(stream), gpustream.StreamContext(stream)):
        with pytest.raises(KeyError), manager:
            raise KeyError
        assert gpustream.current_device() == 0
        assert gpustream.current_stream(1) == gpustream.default_stream(1)


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


def test_deep_nesting():
    streams = [gpustream.Stream(i % 2) for i in range(40)]
    with contextlib.ExitStack() as stack:
        for stream in streams:
            stack.enter_context(stream)
            assert gpustream.current_stream() == stream
    assert gpustream.current_device() == 0 and gpustream.current_stream() == gpustream.default_stream()


def test_stream_context_with_none():
    with gpustream.stream(None) as entered:
        assert entered is None
        assert gpustream.current_stream() == gpustream.default_stream()
    with pytest.raises(TypeError):
        gpustream.stream(7)
    with pytest.raises(TypeError):
        gpustream.stream()


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
        with pytest.raises(TypeError):
            gpustream.set_stream(wrong)
    assert gpustream.current_stream() == stream


def test_set_inside_with_is_undone():
    one, two = gpustream.Stream(), gpustream.Stream()
    with one:
        gpustream.set_stream(two)
        assert gpustream.current_stream() == two
    assert gpustream.current_stream() == gpustream.default_stream()


def test_exchange():
    one, two = gpustream.Stream(), gpustream.Stream()
    assert gpustream._exchange_stream(one) == gpustream.default_stream()
    assert gpustream._exchange_stream(two) == one


def test_per_thread_stream():
    stream = gpustream._per_thread_stream(1)
    assert stream.cuda_stream == 2 == stream.stream_id and stream.device_index == 1


def test_a_current_stream_lives_on():
    stream = gpustream.Stream()
    number = stream.stream_id
    gpustream.set_stream(stream)
    del stream
    assert gpustream.current_stream().stream_id == number
    event = gpustream.Event()
    event.record()
    event.synchronize()


def test_exit_without_enter():
    with pytest.raises(gpustream.ScopeError):
        gpustream.Stream().__exit__(None, None, None)


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
        with pytest.raises((TypeError, OverflowError)):
            gpustream._sleep(wrong)


def test_not_capturing():
    assert gpustream.is_current_stream_capturing() is False


def test_no_driver_call_in_a_with_block():
    stream = gpustream.Stream()
    with stream:
        pass
    before = gpustream._stats()["driver_calls"]
    for _ in range(100):
        with stream:
            gpustream.current_stream()
    assert gpustream._stats()["driver_calls"] == before
