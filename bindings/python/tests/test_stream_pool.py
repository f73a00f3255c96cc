# SPDX-License-Identifier: Apache-2.0
"""StreamPool: a fixed number of streams, by index and in turn."""
from collections import Counter

import gpustream
from support.at_once import at_once
from support.refusals import raises


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
