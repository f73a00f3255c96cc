# SPDX-License-Identifier: Apache-2.0
"""gpustream.Buffer: how it is made, filled, copied, divided and closed."""
import array
import gc
import sys
import weakref

import gpustream
import pytest
from gpustream import Buffer
from support.at_once import Theirs
from support.refusals import raises


def test_what_a_buffer_says():
    stream = gpustream.Stream()
    buffer = Buffer(100, stream=stream)
    assert (buffer.nbytes, buffer.shape, buffer.dtype, buffer.itemsize, len(buffer)) == (100, (100,), "uint8", 1, 100)
    assert buffer.stream == stream and buffer.device == stream.device
    assert buffer.ptr % 256 == 0 and buffer._as_parameter_.value == buffer.ptr
    assert (buffer.pinned, buffer.readonly, buffer.closed) == (False, False, False)
    assert repr(buffer) == f"<gpustream.Buffer nbytes=100 device={stream.device} ptr={buffer.ptr:#x}>"
    assert repr(buffer.view("int32")) == f"<gpustream.Buffer nbytes=100 dtype=int32 shape=(25,) device={stream.device} ptr={buffer.ptr:#x}>"
    assert bool(buffer) and bool(buffer[:0]) and buffer == buffer and buffer != Buffer(100)  # noqa: PLR0124


def test_where_it_is_allocated():
    assert Buffer(1).stream == gpustream.current_stream()
    stream = gpustream.Stream(1)
    with stream:
        assert Buffer(1).stream == stream
    assert Buffer(1, device=1).stream == gpustream.default_stream(1)
    assert Buffer(1, device=1, stream=stream).device.index == 1
    assert Buffer(1, stream=stream, device=stream.device).stream == stream
    raises(gpustream.DeviceMismatchError, "belongs to device 1, not to device 0", Buffer, 1, device=0, stream=stream)


def test_streams_of_others_are_taken():
    ours = gpustream.Stream()
    foreign = Theirs(ours.cuda_stream)
    buffer = Buffer.zeros(64, stream=foreign)
    buffer.record_stream(foreign)
    assert buffer.stream == ours and buffer.to_bytes() == bytes(64)
    other = gpustream.Stream()
    foreign.number = other.cuda_stream
    Buffer(64, stream=ours).copy_(buffer.fill_(1, stream=foreign), stream=foreign)
    assert other in buffer._streams() and buffer.to_bytes(stream=foreign) == b"\1" * 64


def test_contents():
    assert Buffer.zeros(300).to_bytes() == bytes(300)
    data = bytes(range(256))
    assert Buffer.from_bytes(data).to_bytes() == data
    assert Buffer.from_bytes(array.array("I", [1, 2, 3])).to_bytes() == bytes(array.array("I", [1, 2, 3]))
    buffer = Buffer.empty(4)
    assert buffer.fill_(7) is buffer and buffer.to_bytes() == b"\7\7\7\7"
    assert buffer.fill_().to_bytes() == bytes(4)
    assert buffer.copy_(bytearray(b"abcd")) is buffer and buffer.to_bytes() == b"abcd"
    assert Buffer(4).copy_(buffer).to_bytes() == b"abcd"


def test_pinned_memory():
    buffer = Buffer.from_bytes(b"pinned", pinned=True)
    assert buffer.pinned and "pinned" in repr(buffer) and bytes(buffer) == b"pinned"
    with memoryview(buffer) as seen:
        assert not seen.readonly and seen.format == "B"
        seen[0] = ord("P")
    assert Buffer(6).copy_(buffer).to_bytes() == b"Pinned"
    assert Buffer(1, device=1, pinned=True).device.index == 1


def test_pools():
    pool, host = (gpustream._core.gs_pool_create(0, {"flags": flags}) for flags in (0, gpustream._core.GS_POOL_HOST))
    one = Buffer(1000, pool=pool)
    assert gpustream._core.gs_pool_get_stats(pool)["requested_bytes"] == 1000 and not one.pinned
    two = Buffer(500, pool=host, pinned=True)
    assert two.pinned and Buffer(1, pool=host).pinned
    raises(gpustream.InvalidArgumentError, "'pinned' contradicts the pool", Buffer, 1, pool=pool, pinned=True)
    raises(gpustream.DeviceMismatchError, Buffer, 1, pool=pool, device=1)
    del one, two
    assert gpustream._core.gs_pool_get_stats(pool)["requested_bytes"] == 0
    for handle in (pool, host):
        gpustream._core.gs_pool_destroy(handle)
        raises(gpustream.InvalidHandleError, Buffer, 1, pool=handle)
    raises(gpustream.InvalidHandleError, "no pool 0", Buffer, 1, pool=0)


def test_pools_of_several_devices():
    pool = gpustream.MemPool(host=True)
    unused = pool.use_count()
    assert Buffer(1, pool=pool).pinned and Buffer(1, pool=pool, device=1).device.index == 1
    assert pool.use_count() == unused
    with gpustream.use_mem_pool(pool):
        assert Buffer(1).pinned and not Buffer(1, device=1).pinned
    assert not Buffer(1).pinned


@pytest.mark.parametrize("size", [-1, -(2**63) - 1, 2**63, 2**64, 2**200])
def test_impossible_sizes(size):
    for make in (Buffer, Buffer.empty, Buffer.zeros):
        raises(gpustream.InvalidArgumentError, f"'nbytes' must be at least 0 and below 2\\*\\*63, not {size}", make, size)


def test_the_largest_size_is_more_than_there_is():
    raises((gpustream.OutOfMemoryError, gpustream.DriverError, gpustream.InvalidArgumentError), Buffer, 2**63 - 1)


@pytest.mark.parametrize("arguments, keywords, message", [
    ((), {}, "missing required argument: 'nbytes'"), ((1, None), {}, "takes at most 1 positional"), ((1.0,), {}, "'nbytes' must be int, not float"),
    ((True,), {}, "'nbytes' must be int, not bool"), (("1",), {}, "'nbytes' must be int, not str"), ((1,), {"stream": 1}, "must be a stream"),
    ((1,), {"pool": "x"}, "'pool' must be a pool, not str"), ((1,), {"pinned": "x"}, "'pinned' must be bool"),
    ((1,), {"device": 1.5}, "must be a device"), ((1,), {"color": 1}, "unexpected keyword argument 'color'"),
])
def test_wrong_arguments(arguments, keywords, message):
    raises(TypeError, message, Buffer, *arguments, **keywords)


def test_a_name():
    buffer = Buffer(4096)
    assert buffer.set_name("weights") is None and buffer.set_name(None) is None
    raises(gpustream.InvalidArgumentError, "was not allocated by the library", lambda: buffer[8:].set_name("part"))
    for wrong in (5, b"weights"):
        raises(TypeError, buffer.set_name, wrong)
    buffer.close()
    raises(gpustream.InvalidHandleError, buffer.set_name, "weights")


def test_closing():
    buffer = Buffer.zeros(8)
    part = buffer[2:4]
    buffer.close()
    buffer.close()
    assert buffer.closed and part.closed and repr(buffer) == repr(part) == "<gpustream.Buffer closed>"
    for one in (buffer, part):
        for use in (lambda: one.ptr, lambda: one._as_parameter_, lambda: one.fill_(1), lambda: one.copy_(bytes(one.nbytes)), one.to_bytes,  # noqa: B023
                    lambda: one[:1], lambda: one.view("int8"), lambda: memoryview(one), lambda: Buffer(one.nbytes).copy_(one), one.__dlpack__,  # noqa: B023
                    lambda: one.record_stream(gpustream.current_stream())):  # noqa: B023
            raises(gpustream.InvalidHandleError, "the buffer was closed", use)
    assert (buffer.nbytes, buffer.stream) == (8, gpustream.current_stream())
    with Buffer(8) as inside:
        assert not inside.closed
    assert inside.closed


def test_closing_a_part_leaves_the_whole():
    buffer = Buffer.from_bytes(b"abcdef")
    with buffer[1:3] as part:
        assert part.to_bytes() == b"bc"
    assert part.closed and buffer.to_bytes() == b"abcdef"
    with pytest.raises(gpustream.InvalidHandleError):
        part.stream  # noqa: B018


def test_an_exported_buffer_is_not_closed():
    buffer = Buffer.zeros(8, pinned=True)
    seen = memoryview(buffer[2:])
    raises(BufferError, "other objects use its memory", buffer.close)
    seen.release()
    buffer.close()


def test_wrong_values_and_sizes():
    buffer = Buffer(8)
    for value in (-1, 256):
        raises(gpustream.InvalidArgumentError, buffer.fill_, value)
    raises(TypeError, buffer.fill_, 1.5)
    for source in (b"1234567", bytearray(9), b"", Buffer(7), array.array("d", [1, 2])):
        raises(ValueError, "the buffer has 8 bytes, what is copied has", buffer.copy_, source)
    raises(ValueError, "must be contiguous", lambda: buffer.copy_(memoryview(bytes(16))[::2]))
    for source in (None, 5, "12345678", [1] * 8, object()):
        raises(TypeError, "'src' must be a Buffer, a buffer or an array", buffer.copy_, source)
    raises(ValueError, "overlaps", lambda: buffer[:4].copy_(buffer[2:6]))
    assert buffer[:4].copy_(buffer[4:]).nbytes == 4
    raises(TypeError, Buffer.from_bytes, "text")


def test_copies_between_devices():
    assert Buffer(5, device=1).copy_(Buffer.from_bytes(b"hello")).to_bytes() == b"hello"


def test_derived_classes():
    class Named(Buffer):
        def __init__(self, nbytes, **where):
            self.name = "named"

    buffer = Named.from_bytes(b"abc")
    assert buffer.name == "named" and type(buffer[1:]) is Buffer and repr(buffer).startswith("<gpustream.Named nbytes=3")
    buffer.own_part, seen = buffer[:1], weakref.ref(buffer)  # a cycle
    del buffer
    gc.collect()
    assert seen() is None
    raises(gpustream.InvalidArgumentError, Named, -1)


def test_memory_that_is_an_argument_elsewhere():
    from gpustream import _addresses, _extents

    buffer = Buffer(8)
    assert _addresses.address(buffer, "x", writable=True)[:2] == _extents.extent(buffer, "x") == (buffer.ptr, 8)


def test_references_are_balanced():
    class_before, buffer = sys.getrefcount(Buffer), Buffer(16, pinned=True)
    before = sys.getrefcount(buffer)
    for _ in range(100):
        part = buffer[2:10].view("int16")
        memoryview(part).release()
        part.to_bytes()
        raises(ValueError, part.view, "int64", 3)
    del part
    assert sys.getrefcount(buffer) == before
    del buffer
    assert sys.getrefcount(Buffer) == class_before
