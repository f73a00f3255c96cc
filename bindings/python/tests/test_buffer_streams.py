# SPDX-License-Identifier: Apache-2.0
"""gpustream.Buffer and streams: order, several users, threads, copy_batch()."""
import ctypes
import gc
import threading

import gpustream
import pytest
from gpustream import Buffer, copy_batch
from support.at_once import in_thread
from support.buffers import blocks, pool  # noqa: F401
from support.refusals import raises


def test_work_goes_to_the_current_stream_or_the_one_that_is_named(gate):
    own, current, named, held = gpustream.Stream(), gpustream.Stream(), gpustream.Stream(), gate()
    buffer, other = Buffer.zeros(8, stream=own), Buffer.zeros(8, stream=own)
    own.synchronize()
    with current:
        buffer.fill_(1)
        other.fill_(1, stream=named)
    held.hold(own)
    with current:
        held.hold(current)
        buffer[:4].fill_(2)
        buffer.view("int32").copy_(other)
        copy_batch([buffer[:4]], [other[4:]])
        assert not current.query()
        assert buffer.fill_(3, stream=named).to_bytes(stream=named) == b"\3" * 8
    held.open()
    assert buffer.to_bytes(stream=current) == b"\1" * 8


def test_the_device_of_the_buffer_says_which_stream_is_current(gate):
    there, held = gpustream.Stream(1), gate()
    buffer = Buffer(8, device=1)
    with there:
        gpustream.set_device(0)
        held.hold(there)
        buffer.fill_(1)
        held.open()
        assert buffer.to_bytes() == b"\1" * 8
        assert there in buffer._streams()
    raises(TypeError, "'stream'", buffer.fill_, 1, stream=5)
    there.close()
    for use in (buffer.fill_, buffer.to_bytes, lambda stream: buffer.copy_(bytes(8), stream=stream)):
        raises(gpustream.InvalidHandleError, use, stream=there)


def test_the_first_use_elsewhere_waits_for_the_allocation(gate):
    own, other, third, held = gpustream.Stream(), gpustream.Stream(), gpustream.Stream(), gate()
    held.hold(own)
    buffer = Buffer(8, stream=own)
    buffer[:2].fill_(1, stream=other)
    Buffer(8, stream=third).copy_(buffer, stream=third)
    assert not other.query() and not third.query()
    held.open()
    other.synchronize()
    third.synchronize()
    again = gate(own)
    for stream in (other, third, gpustream.Stream()):  # the allocation is known to be done
        buffer.fill_(2, stream=stream)
        stream.synchronize()
    again.open()


def test_memory_is_freed_behind_all_streams_that_used_it(gate):
    own, user, held = gpustream.Stream(), gpustream.Stream(), gate()
    source, target = Buffer.zeros(64, stream=own).fill_(7, stream=own), Buffer(64, stream=user)
    own.synchronize()
    held.hold(user)
    target.copy_(source[:], stream=user)
    address = source.ptr
    del source
    other = Buffer(64, stream=own)  # at once, in the order of the other stream
    assert other.ptr != address
    other.fill_(9, stream=own)
    own.synchronize()
    held.open()
    assert target.to_bytes(stream=user) == b"\7" * 64


def test_streams_that_are_done_are_forgotten():
    buffer = Buffer(8)
    recorded = gpustream.Stream()
    buffer.record_stream(recorded)
    for _ in range(200):
        stream = gpustream.Stream()
        buffer.fill_(1, stream=stream)
        stream.synchronize()
    assert len(buffer._streams()) <= 34 and recorded in buffer._streams()


def test_a_stream_that_another_thread_forgets_in_the_middle_of_a_call_is_a_user_again(monkeypatch):
    buffer, stream = Buffer(64), gpustream.Stream()

    def in_the_middle(*arguments):
        for _ in range(40):
            buffer._use(gpustream.Stream())
        assert stream not in buffer._streams()
        submit(*arguments)

    submit = gpustream._core.gs_memset_async
    monkeypatch.setattr(gpustream._core, "gs_memset_async", in_the_middle)
    buffer.fill_(1, stream=stream)
    assert stream in buffer._streams()


def test_the_host_waits_for_all_streams_that_used_it(gate):
    buffer, user, held = Buffer.zeros(8, pinned=True), gpustream.Stream(), gate()
    buffer.fill_(1, stream=user)
    held.hold(user)
    buffer.fill_(2, stream=user)
    timer = threading.Timer(0.05, held.open)
    timer.start()
    assert bytes(memoryview(buffer)) == b"\2" * 8
    timer.join()


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
        raises(TypeError, buffer.record_stream, wrong)
    raises(TypeError, lambda: buffer.free_after(gpustream.Stream(), 5))
    assert not buffer.closed
    closed = gpustream.Stream()
    closed.close()
    raises(gpustream.InvalidHandleError, buffer.record_stream, closed)
    raises(gpustream.InvalidHandleError, Buffer, 1, stream=closed)


def test_a_buffer_keeps_its_stream():
    stream = gpustream.Stream()
    buffer = Buffer.zeros(64, stream=stream)
    stream.close()
    del stream
    assert buffer.fill_(3, stream=buffer.stream).to_bytes() == b"\3" * 64 and buffer.stream.query()


def test_the_per_thread_stream_of_another_thread(pool):
    made = []

    def make():
        made.append(Buffer(64, stream=gpustream.per_thread_stream(), pool=pool))
        made[0].fill_(5, stream=gpustream.per_thread_stream())
        made[0].record_stream(gpustream.per_thread_stream())
        made[0].stream.synchronize()

    in_thread(make)
    assert blocks(pool) == 1
    made.clear()
    assert blocks(pool) == 0


def test_sources_live_until_the_copy_is_done(gate):
    numpy = pytest.importorskip("numpy", reason="no wheel of NumPy for this interpreter")

    stream, held = gpustream.Stream(), gate()
    target = Buffer(1 << 16, stream=stream)
    if gpustream.Device("cuda").type == "host":  # a driver may wait before it takes memory that is not page-locked
        held.hold(stream)
    target.copy_(numpy.full(1 << 16, 6, numpy.uint8), stream=stream)
    gc.collect()
    numpy.full(1 << 16, 8, numpy.uint8)
    held.open()
    assert target.to_bytes(stream=stream) == b"\6" * (1 << 16)


ORDERS = "stream", "during_call", "any"


def numbers(stream, *texts):
    return [Buffer.from_bytes(text, stream=stream) for text in texts]


@pytest.mark.parametrize("order", ORDERS)
def test_each_goes_to_its_place(order):
    stream, other = gpustream.Stream(), gpustream.Stream()
    sources = numbers(stream, b"one", b"", b"three")
    stream.synchronize()
    targets = [Buffer.zeros(source.nbytes, stream=other) for source in sources]
    assert copy_batch(targets, sources, order=order, stream=other) is None
    assert [target.to_bytes(stream=other) for target in targets] == [b"one", b"", b"three"]
    copy_batch([], [], order=order)
    copy_batch((targets[0][:1],), iter([sources[2][1:2]]), order=order)
    gpustream.synchronize()
    assert targets[0].to_bytes() == b"hne"


def test_wrong_arguments():
    one, other = Buffer(4), Buffer(4)
    for arguments, error, message in (
            (([one], [Buffer(5)]), ValueError, "the buffer has 4 bytes, what is copied has 5"),
            (([one], [one, other]), ValueError, "1 buffers are copied to from 2"),
            (([one], [one]), ValueError, "overlaps"),
            (([one], [b"text"]), TypeError, "must be a Buffer, not bytes"),
            ((one, other), TypeError, "indexed by slices")):
        raises(error, message, copy_batch, *arguments)
    raises(ValueError, "'stream', 'during_call', 'any', not 'late'", copy_batch, [one], [other], order="late")
    other.close()
    raises(gpustream.InvalidHandleError, copy_batch, [one], [other])
    raises(TypeError, "read-only", lambda: copy_batch([gpustream.from_dlpack(read_only())], [one]))


def read_only():
    numpy = pytest.importorskip("numpy")
    array = numpy.zeros(4, dtype="uint8")
    array.flags.writeable = False
    return array
