# SPDX-License-Identifier: Apache-2.0
"""gpustream.Buffer in captures, and where waiting is not allowed."""
import gc
import threading
import weakref

import gpustream
import pytest
from gpustream import Buffer, copy_batch
from support.at_once import in_thread
from support.buffers import blocks, pool, wait_until  # noqa: F401
from support.refusals import raises


def test_memory_of_a_capture_is_the_graphs(pool):
    stream = gpustream.Stream()
    result = Buffer.zeros(64, stream=stream)
    graph = gpustream.CUDAGraph()
    with gpustream.graph(graph, stream=stream):
        inside = Buffer(64, pool=pool).fill_(5)
        result.copy_(inside)
        del inside
        late = Buffer(64, pool=pool)
    late.close()
    with stream:
        for _ in range(3):
            result.fill_(0)
            graph.replay()
    assert result.to_bytes() == b"\5" * 64
    assert gpustream._core.gs_pool_get_stats(pool)["allocations"] == 0


def test_a_capture_keeps_what_is_dropped_during_it(pool):
    stream = gpustream.Stream()
    source, target = Buffer(64, stream=stream, pool=pool).fill_(6), Buffer.zeros(64, stream=stream)
    stream.synchronize()
    graph = gpustream.CUDAGraph()
    with gpustream.graph(graph, stream=stream):
        gpustream._memcpy_async(target.ptr, source.ptr, 64)
        del source
    assert blocks(pool) == 1
    with stream:
        graph.replay()
    assert target.to_bytes() == b"\6" * 64 and blocks(pool) == 1
    graph.reset()
    assert wait_until(lambda: blocks(pool) == 0)


def test_a_capture_keeps_what_another_stream_recorded(pool):
    own, captured = gpustream.Stream(), gpustream.Stream()
    buffer, graph = Buffer(64, stream=own, pool=pool), gpustream.CUDAGraph()
    with gpustream.graph(graph, stream=captured):
        gpustream._memset_async(buffer.ptr, 1, 64)
        buffer.record_stream(captured)
        buffer.close()
    assert blocks(pool) == 1 and buffer.closed and buffer.stream == own
    with captured:
        graph.replay()
    captured.synchronize()
    graph.reset()
    assert wait_until(lambda: blocks(pool) == 0)


@pytest.mark.parametrize("order", [None, "stream", "any"])
def test_copies_in_a_capture_keep_both_sides(order):
    stream = gpustream.Stream()
    target, text, graph = Buffer.zeros(8, stream=stream), Buffer.from_bytes(b"captured", stream=stream), gpustream.CUDAGraph()
    stream.synchronize()
    with gpustream.graph(graph, stream=stream):
        source = Buffer(8, device=0, stream=stream)
        if order:
            copy_batch([target[:3], target[3:]], [text[:3], text[3:]], order=order)
            raises(gpustream.CapturingError, "DURING_CALL", copy_batch, [target], [text], order="during_call")
        else:
            target.copy_(bytearray(b"captured"))
        source.copy_(target)
        del source
    del text
    gc.collect()
    with stream:
        target.fill_(0)
        graph.replay()
        assert target.to_bytes() == b"captured"


def test_a_fill_in_a_capture_keeps_its_buffer():
    stream, graph = gpustream.Stream(), gpustream.CUDAGraph()
    filled = Buffer.zeros(64, stream=stream)
    with gpustream.graph(graph, stream=stream):
        filled.fill_(7)
    del filled
    gc.collect()
    other = Buffer.zeros(64, stream=stream)  # it would get the same memory
    with stream:
        graph.replay()
    assert other.to_bytes() == bytes(64)


def test_a_capture_records_what_its_stream_is_current_for(gate):
    held, own = gate(), gpustream.Stream()
    held.hold(own)
    buffer, graph = Buffer(8, stream=own), gpustream.CUDAGraph()
    stream = gpustream.Stream()
    with stream:
        graph.capture_begin()
        threading.Timer(0.05, held.open).start()
        buffer.fill_(1)  # the host waits for the allocation, which no graph can
        assert own.query()
        graph.capture_end()
        buffer.fill_(2)
        graph.replay()
        assert buffer.to_bytes() == b"\1" * 8
    buffer.fill_(3, stream=own)
    with gpustream.graph(graph := gpustream.CUDAGraph()):
        buffer.fill_(4)
        buffer[2:].copy_(bytes(6))
    assert buffer.to_bytes(stream=own) == b"\3" * 8
    graph.replay()
    assert buffer.to_bytes() == b"\4\4" + bytes(6)


def test_memory_of_a_stream_that_was_joined_is_freed_in_the_capture(pool):
    stream, side, graph = gpustream.Stream(), gpustream.Stream(), gpustream.CUDAGraph()
    result = Buffer.zeros(64, stream=stream)
    with gpustream.graph(graph, stream=stream):
        side.wait_stream(stream)
        with side:
            inside = Buffer(64, pool=pool).fill_(5)
        stream.wait_stream(side)
        result.copy_(inside)
        del inside
        with side:
            late = Buffer(64, pool=pool).fill_(5)
        stream.wait_stream(side)
        in_thread(late.close)  # where no stream of the capture is current
        assert late.closed
    with stream:
        for _ in range(3):
            graph.replay()
        assert result.to_bytes() == b"\5" * 64


def test_another_stream_cannot_wait_for_an_allocation_that_a_capture_hides():
    stream, other, graph = gpustream.Stream(), gpustream.Stream(), gpustream.CUDAGraph()
    fresh, used, declared = (Buffer(8, stream=stream) for _ in range(3))
    used.fill_(1, stream=other)
    with gpustream.graph(graph, stream=stream, capture_error_mode="relaxed"):
        used.fill_(1, stream=gpustream.Stream())
        declared.record_stream(other)
        declared.fill_(2, stream=other)
        raises(gpustream.CapturingError, "use the buffer there before, or record_stream", fresh.fill_, 1, stream=other)
        fresh.fill_(1)
    assert declared.to_bytes(stream=other) == b"\2" * 8


def test_a_capture_is_not_waited_for():
    stream, graph = gpustream.Stream(), gpustream.CUDAGraph()
    buffer = Buffer.zeros(8, stream=stream, pinned=True)
    with gpustream.graph(graph, stream=stream):
        for wait in (buffer.to_bytes, lambda: memoryview(buffer)):
            raises(gpustream.CapturingError, wait)
        buffer.fill_(1)
    with stream:
        graph.replay()
    assert buffer.to_bytes() == b"\1" * 8


def test_forbidden_waits():
    buffer = Buffer.zeros(8)
    gpustream.set_sync_debug_mode("error")
    for wait in (buffer.to_bytes, buffer[2:].to_bytes):
        raises(gpustream.SyncForbiddenError, wait)
    gpustream.set_sync_debug_mode(0)
    buffer.close()


@pytest.mark.parametrize("pinned", [False, True])
def test_close_leaves_memory_to_the_graphs_that_use_it(pinned):
    stream, graph, built = gpustream.Stream(), gpustream.CUDAGraph(), gpustream.Graph()
    seen = Buffer.zeros(64, stream=stream, pinned=True)
    source, target = (Buffer.zeros(64, stream=stream, pinned=pinned) for _ in range(2))
    part = target[:32]
    stream.synchronize()
    before = gpustream.memory_allocated()
    with gpustream.graph(graph, stream=stream):
        source.fill_(6)
        part.copy_(source[32:])
        seen[:32].copy_(part)
    fill = built.add_memset(target, 7)
    built.add_memcpy(seen, target, after=[fill])
    launched = built.instantiate()
    part.close()
    target.free_after(stream)
    source.close()
    assert part.closed and target.closed and source.closed and gpustream.memory_allocated() == before
    raises(gpustream.InvalidHandleError, "closed", target.fill_, 1)
    others = [Buffer.zeros(64, stream=stream, pinned=pinned) for _ in range(8)]
    for replay, expected in ((graph.replay, b"\6" * 32 + b"\0" * 32), (lambda: launched.launch(stream), b"\7" * 64)):
        with stream:
            replay()
        assert seen.to_bytes(stream=stream) == expected
    assert all(one.to_bytes(stream=stream) == bytes(64) for one in others)
    names = [weakref.ref(one) for one in (source, target, part)]
    del source, target, part, graph, built, launched, others, replay, fill
    assert wait_until(lambda: not any(name() for name in names))
    if not pinned:
        assert gpustream.memory_allocated() < before
