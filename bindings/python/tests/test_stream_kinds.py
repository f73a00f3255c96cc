# SPDX-License-Identifier: Apache-2.0
"""What kinds of stream there are, and how to tell them; StreamPool: a fixed number of streams, by index and in turn."""
import itertools
from collections import Counter

import gpustream
import pytest
from gpustream import StreamFlags
from support.at_once import at_once
from support.refusals import raises

CLASSES = [gpustream.Stream, gpustream.generic.Stream]


@pytest.mark.parametrize("kind", CLASSES)
def test_flags_are_what_was_asked_for(kind):
    assert kind().flags == StreamFlags(0) and isinstance(kind().flags, StreamFlags)
    for blocking, one in itertools.product((False, True), (None, "shared", "dedicated")):
        stream = kind(blocking=blocking, **({one: True} if one else {}))
        wanted = (StreamFlags.BLOCKING if blocking else 0) | (StreamFlags[one.upper()] if one else 0)
        assert stream.flags == wanted == stream._flags
        stream.synchronize()
    with pytest.raises(AttributeError):
        kind().flags = 1


@pytest.mark.parametrize("kind", CLASSES)
def test_what_excludes_each_other(kind):
    raises(gpustream.InvalidArgumentError, kind, shared=True, dedicated=True)
    for name in ("shared", "blocking", "dedicated"):
        for wrong in ("yes", 1.0, None):
            raises(TypeError, name, kind, **{name: wrong})
        live = kind()
        raises(TypeError, "do not apply to an existing stream", kind, stream_id=live.stream_id, device_index=0, **{name: True})


def test_numbers_are_the_headers():
    names = {name.removeprefix("GS_STREAM_"): getattr(gpustream._core, name) for name in dir(gpustream._core)
             if name.startswith("GS_STREAM_") and name != "GS_STREAM_CURRENT"}
    assert {flag.name: flag.value for flag in StreamFlags} == names


@pytest.mark.parametrize("device", [None, 0, 1, "cuda:1"])
def test_per_thread_stream(device):
    stream = gpustream.per_thread_stream(device)
    assert stream.cuda_stream == 2 == stream.stream_id and stream.device_index == (0 if device in (None, 0) else 1)
    assert stream.is_per_thread is True and stream.is_default is False
    assert stream == gpustream.ExternalStream(2, device) and gpustream.ExternalStream(2, device).is_per_thread
    with stream:
        assert gpustream.current_stream().is_per_thread
    raises(gpustream.InvalidDeviceError, gpustream.per_thread_stream, 99)
    raises(TypeError, gpustream.per_thread_stream, 1.5)


def test_default_stream():
    for stream in (gpustream.default_stream(), gpustream.ExternalStream(0), gpustream.ExternalStream(1), gpustream.current_stream()):
        assert stream.is_default is True and stream.is_per_thread is False
        assert StreamFlags.BLOCKING in stream.flags
    assert gpustream.Stream().is_default is False is gpustream.Stream().is_per_thread


def test_closed_streams_have_no_kind():
    stream = gpustream.Stream()
    stream.close()
    for name in ("flags", "is_default", "is_per_thread"):
        raises(gpustream.InvalidHandleError, getattr, stream, name)


def test_by_index_and_in_turn():
    pool = gpustream.StreamPool(3, priority=-1)
    assert len(pool) == 3 and len({stream.cuda_stream for stream in pool}) == 3
    assert pool[0] is pool[3] is pool[-3] and pool[1] is pool[4] and pool[2] is not pool[1]
    assert [pool.get() for _ in range(7)] == [*pool, *pool, pool[0]]
    assert all(stream.priority == -1 and stream.device == gpustream.Device(gpustream.current_device()) for stream in pool)
    assert gpustream.StreamPool(1, "cuda:1")[5].device == gpustream.Device("cuda:1")
    assert "StreamPool of 3 streams on" in repr(pool)
    for stream in pool:
        with stream:
            gpustream._sleep(1000)
        stream.synchronize()


def test_threads_share_it_evenly():
    pool = gpustream.StreamPool(4)
    seen = Counter(stream.cuda_stream for part in at_once(lambda _: [pool.get() for _ in range(100)], 4) for stream in part)
    assert sorted(seen.values()) == [100] * 4


def test_wrong_arguments():
    for wrong in (0, -1):
        raises(ValueError, "size must be at least 1", gpustream.StreamPool, wrong)
    raises(TypeError, "argument 'size' must be int, not str", gpustream.StreamPool, "4")
    raises(TypeError, "argument 'index' must be int, not str", lambda: gpustream.StreamPool(1)["0"])
    raises(gpustream.InvalidDeviceError, gpustream.StreamPool, 1, 4000)


def test_priorities_by_level():
    least, greatest = gpustream.Stream.priority_range()
    for level, priority in {"high": greatest, "normal": 0, "low": least}.items():
        assert gpustream.Stream(priority=level).priority == priority
        assert gpustream.Stream(1, level).priority == priority
        assert gpustream.generic.Stream(priority=level).priority == priority
        assert [stream.priority for stream in gpustream.StreamPool(2, priority=level)] == [priority] * 2
    for wrong in ("", "High", "highest", "-1", "high\0"):
        raises(ValueError, "must be an int, 'high', 'normal' or 'low', not ", gpustream.Stream, priority=wrong)
    raises(TypeError, gpustream.Stream, priority=b"high")
