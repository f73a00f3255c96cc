# SPDX-License-Identifier: Apache-2.0
"""gpustream.Buffer and streams: order, several users, threads."""
import ctypes
import gc
import threading

import gpustream
import pytest
from gpustream import Buffer, check
from support.buffers import blocks, pool  # noqa: F401


def test_copies_wait_for_the_sources_stream(gate):
    producer, consumer, held = gpustream.Stream(), gpustream.Stream(), gate()
    source, target = Buffer(64, stream=producer), Buffer.zeros(64, stream=consumer)
    held.hold(producer)
    source.fill_(7)
    target.copy_(source)
    assert not consumer.query()
    held.open()
    assert target.to_bytes() == b"\7" * 64


def test_the_memory_of_a_copys_source_is_not_reused_too_early(gate):
    producer, consumer, held = gpustream.Stream(), gpustream.Stream(), gate()
    source, target = Buffer.zeros(64, stream=producer).fill_(7), Buffer(64, stream=consumer)
    producer.synchronize()
    held.hold(consumer)
    target.copy_(source)
    address = source.ptr
    del source
    other = Buffer(64, stream=producer)  # at once, in the order of the other stream
    assert other.ptr != address
    other.fill_(9)
    producer.synchronize()
    held.open()
    assert target.to_bytes() == b"\7" * 64


@pytest.mark.parametrize("how", ["record_stream", "free_after", "of a part"])
def test_memory_of_several_streams(gate, how):
    own, user, held = gpustream.Stream(), gpustream.Stream(), gate()
    buffer, seen = Buffer.zeros(256, stream=own), gpustream._malloc_host(256)
    own.synchronize()
    held.hold(user)
    gpustream._memcpy_async(seen, buffer.ptr, 256, user)
    address = buffer.ptr
    if how == "free_after":
        buffer.free_after(user, user)
    else:
        (buffer[:10] if how == "of a part" else buffer).record_stream(user)
        buffer.record_stream(own)
        buffer.close()
    assert buffer.closed
    reused = Buffer(256, stream=own)
    assert reused.ptr != address
    reused.fill_(9)
    own.synchronize()
    held.open()
    user.synchronize()
    assert ctypes.string_at(seen, 256) == bytes(256)
    gpustream._free_host(seen)


def test_many_users(pool):
    buffer, streams = Buffer(64, pool=pool), [gpustream.Stream() for _ in range(20)]
    for stream in streams:
        buffer.record_stream(stream)
        stream.close()  # the buffer has a reference of its own
    assert blocks(pool) == 1
    del buffer
    assert blocks(pool) == 0


def test_streams_that_are_none():
    buffer = Buffer(64)
    for wrong in (None, 1, "stream"):
        with pytest.raises(TypeError):
            buffer.record_stream(wrong)
    with pytest.raises(TypeError):
        buffer.free_after(gpustream.Stream(), 5)
    assert not buffer.closed
    closed = gpustream.Stream()
    closed.close()
    with pytest.raises(gpustream.InvalidHandleError):
        buffer.record_stream(closed)
    with pytest.raises(gpustream.InvalidHandleError):
        Buffer(1, stream=closed)


def test_a_buffer_keeps_its_stream():
    stream = gpustream.Stream()
    buffer = Buffer.zeros(64, stream=stream)
    stream.close()
    del stream
    assert buffer.fill_(3).to_bytes() == b"\3" * 64 and buffer.stream.query()


def test_the_checker_sees_copies_and_fills():
    found = []
    check.set_callback(lambda text, report: found.append(report))
    check.start()
    try:
        one, two = gpustream.Stream(), gpustream.Stream()
        buffer = Buffer(64, stream=one).fill_(1)
        check.read(buffer, two, "unordered")
        assert [(report["earlier"]["label"], report["later"]["label"]) for report in found] == [("gs_memset_async", "unordered")]
        del found[:]
        Buffer(64, stream=two).copy_(Buffer.zeros(64, stream=one))
        assert found == []
    finally:
        check.stop()
        check.set_callback(None)


def test_frees_from_other_threads(pool):
    stream, made = gpustream.Stream(), []

    def make():
        made.extend(Buffer.zeros(64, stream=stream, pool=pool) for _ in range(100))

    def drop():
        for _ in range(100):
            made.pop()

    for target, left in (make, 400), (drop, 0):
        threads = [threading.Thread(target=target) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert blocks(pool) == left


def test_the_per_thread_stream_of_another_thread(pool):
    made = []

    def make():
        made.append(Buffer(64, stream=gpustream.per_thread_stream(), pool=pool).fill_(5))
        made[0].record_stream(gpustream.per_thread_stream())
        made[0].stream.synchronize()

    thread = threading.Thread(target=make)
    thread.start()
    thread.join()
    assert blocks(pool) == 1
    made.clear()
    assert blocks(pool) == 0


def test_the_host_sees_memory_when_its_stream_is_done(gate):
    stream, held = gpustream.Stream(), gate()
    buffer = Buffer.zeros(16, stream=stream, pinned=True)
    held.hold(stream)
    buffer.fill_(4)
    timer = threading.Timer(0.05, held.open)
    timer.start()
    assert bytes(memoryview(buffer)) == b"\4" * 16
    timer.join()


def test_sources_live_until_the_copy_is_done(gate):
    numpy = pytest.importorskip("numpy", reason="no wheel of NumPy for this interpreter")

    stream, held = gpustream.Stream(), gate()
    target = Buffer(1 << 16, stream=stream)
    if gpustream.Device("cuda").type == "host":  # a driver may wait before it takes memory that is not page-locked
        held.hold(stream)
    target.copy_(numpy.full(1 << 16, 6, numpy.uint8))
    gc.collect()
    numpy.full(1 << 16, 8, numpy.uint8)
    held.open()
    assert target.to_bytes() == b"\6" * (1 << 16)
