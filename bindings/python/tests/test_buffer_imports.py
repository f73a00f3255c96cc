# SPDX-License-Identifier: Apache-2.0
"""gpustream.from_dlpack(), and copies from arrays of other libraries."""
import ctypes
import gc

import gpustream
import pytest
from gpustream import Buffer, from_dlpack
from support.buffers import wait_until
from support.dlpack import OldProducer, Producer, data_of, read
from support.refusals import raises

numpy = pytest.importorskip("numpy", reason="no wheel of NumPy for this interpreter")
HOST = gpustream.Device("cuda").type == "host"
PINNED = (1, 0) if HOST else (3, 0)


@pytest.mark.parametrize("version", [None, (1, 0), (1, 9)])
def test_another_librarys_memory(version):
    producer, stream = Producer(version, shape=(2, 4), offset=8), gpustream.Stream()
    buffer = from_dlpack(producer, stream=stream)
    assert producer.asked == {"max_version": (1, 0)}
    assert (buffer.shape, buffer.dtype, buffer.stream, buffer.readonly) == ((2, 4), "uint8", stream, False)
    assert buffer.ptr == ctypes.addressof(producer.memory) + 8 and buffer.__dlpack_device__() == (1, 0) and not buffer.pinned
    assert bytes(memoryview(buffer)) == bytes(range(8, 16)) == Buffer(8).copy_(producer).to_bytes()
    ended = producer.ended
    part = buffer[1:]
    buffer.close()
    assert producer.ended == ended + 1 and part.closed


def test_the_producer_is_given_the_stream():
    """It is what makes that stream wait, as JAX does by PJRT's extension for streams."""
    memory, stream = Buffer.zeros(8), gpustream.Stream()
    producer = Producer((1, 0), device=memory.__dlpack_device__())
    for given, number in (stream, stream.cuda_stream), (None, stream.cuda_stream), (gpustream.default_stream(), 1):
        with stream:
            from_dlpack(producer, stream=given)
        # memory of the host has no streams in DLPack
        assert producer.asked == {"max_version": (1, 0), **({} if HOST else {"stream": number})}


def test_the_memory_goes_back_when_the_work_is_done(gate):
    producer, stream, held = Producer(), gpustream.Stream(), gate()
    buffer = from_dlpack(producer, stream=stream)
    held.hold(stream)
    del buffer
    assert producer.ended == 0
    held.open()
    stream.synchronize()
    assert wait_until(lambda: producer.ended == 1)


def test_old_producers():
    assert from_dlpack(OldProducer()).to_bytes() == bytes(range(8))
    raises(TypeError, "unexpected keyword argument", lambda: from_dlpack(OldProducer(), copy=True))
    producer = Producer((1, 0))
    from_dlpack(producer, copy=True)
    assert producer.asked == {"max_version": (1, 0), "copy": True}


def test_copies_without_bytes():
    buffer = from_dlpack(Producer((1, 0)))
    for shape in ((0,), (2, 0)):
        empty = buffer[:0].view("int16", shape)
        assert from_dlpack(empty, copy=True).shape == shape


def test_read_only_memory():
    buffer = from_dlpack(Producer((1, 0), flags=1))
    assert buffer.readonly and buffer[2:].readonly and memoryview(buffer).readonly
    for write in (lambda: buffer.fill_(1), lambda: buffer[1:].copy_(bytes(7)), lambda: buffer.view("int8").fill_(0)):
        raises(TypeError, "read-only", write)
    raises(TypeError, "not writable", (ctypes.c_char * 8).from_buffer, buffer)
    raises(BufferError, "before DLPack 1.0 cannot say", buffer.__dlpack__)
    found, _ = read(capsule := buffer.__dlpack__(max_version=(1, 0)))
    assert found.flags == 1
    del capsule
    assert data_of(buffer.__dlpack__(copy=True)) != buffer.ptr


@pytest.mark.parametrize("how, message", [
    ({"version": (2, 0)}, "DLPack 2.0, which is not known"), ({"version": (0, 8)}, "DLPack 0.8"), ({"lanes": 4}, "4 lanes"), ({"bits": 4}, "4 bits"),
    ({"code": 9}, "code 9"), ({"shape": (4, 2), "strides": (1, 4)}, "not contiguous"), ({"shape": (4,), "strides": (2,)}, "not contiguous"),
    ({"device": (8, 0)}, "is none of gpustream's"), ({"device": (2, 99)}, "is none of gpustream's"), ({"said": (1, 5)}, "not \\(1, 5\\) as was said"),
    ({"shape": (-1,)}, "axis of -1"), ({"shape": (2**40, 2**40)}, "axis of"), ({"shape": (1,) * 65}, "65 axes"),
])
def test_tensors_that_are_refused(how, message):
    producer = Producer(**how)
    raises(BufferError, message, from_dlpack, producer)
    assert producer.ended == 0  # its capsule would end it


def test_tensors_without_elements_and_without_axes():
    empty = from_dlpack(Producer(shape=(3, 0, 2), strides=(1, 1, 1)))
    assert (empty.shape, empty.nbytes) == ((3, 0, 2), 0) and empty.to_bytes() == b""
    assert from_dlpack(Producer(shape=())).to_bytes() == b"\0"
    assert from_dlpack(Producer(shape=(1, 8), strides=(77, 1))).nbytes == 8


def test_what_is_no_array():
    class Liar:
        def __dlpack_device__(self):
            return 1, 0

        def __dlpack__(self, **asked):
            return "capsule"

    for wrong in (None, 5, b"bytes", object()):
        raises(TypeError, "must have __dlpack__", from_dlpack, wrong)
    raises(TypeError, "not a capsule", lambda: from_dlpack(Liar()))
    used = Buffer.zeros(8, pinned=True).__dlpack__(stream=-1)
    stream = gpustream.current_stream()
    taken = gpustream._core.buffer_from_capsule(used, stream, *PINNED)
    raises(TypeError, "that was not taken yet", gpustream._core.buffer_from_capsule, used, stream, *PINNED)
    assert taken.to_bytes() == bytes(8)


def test_arrays_of_numpy():
    array = numpy.arange(6, dtype=numpy.float32).reshape(2, 3)
    buffer = from_dlpack(array)
    assert (buffer.dtype, buffer.shape, buffer.ptr) == ("float32", (2, 3), array.ctypes.data)
    assert numpy.array_equal(numpy.from_dlpack(buffer), array)
    if gpustream.Device("cuda").type == "host":
        buffer.fill_(0)
        buffer.stream.synchronize()
        assert not array.any()
    else:
        raises(gpustream.InvalidArgumentError, "the driver does not know the memory", buffer.fill_, 0)
    assert Buffer(24).copy_(numpy.ones((2, 3), numpy.float32)).to_bytes() == numpy.ones(6, numpy.float32).tobytes()
    raises(BufferError, "not contiguous", from_dlpack, array.T)
    raises(ValueError, "contiguous", lambda: Buffer(24).copy_(array.T))
    del buffer
    gc.collect()
    assert array.shape == (2, 3)


def test_our_own_memory_comes_back():
    stream, other = gpustream.Stream(), gpustream.Stream()
    buffer = Buffer.from_bytes(bytes(range(8)), stream=stream)
    again = from_dlpack(buffer.view("int32"), stream=other)
    assert (again.ptr, again.stream, again.dtype) == (buffer.ptr, other, "int32") and again.to_bytes() == bytes(range(8))
    if not HOST:
        elsewhere = gpustream.Stream(1)
        raises(BufferError, "the stream on cuda:1", from_dlpack, buffer, stream=elsewhere)
        assert from_dlpack(Buffer(4, device=1)).device.index == 1
    raises(BufferError, buffer.close)
    again.close()
    buffer.close()


class Array:
    """What a library with only __cuda_array_interface__ gives."""

    def __init__(self, buffer, stream=None, **changes):
        self.__cuda_array_interface__ = {"shape": buffer.shape, "typestr": "|u1", "data": (buffer.ptr, False), "version": 3, "strides": None,
                                         "stream": stream, **changes}
        self.buffer = buffer


def test_copies_from_a_cuda_array_interface(gate):
    producer, held = gpustream.Stream(), gate()
    source, target = Buffer.zeros(8, stream=producer), Buffer(8, stream=gpustream.Stream())
    held.hold(producer)
    source.fill_(5, stream=producer)
    target.copy_(Array(source, producer.cuda_stream), stream=target.stream)
    assert not target.stream.query()
    held.open()
    assert target.to_bytes(stream=target.stream) == b"\5" * 8
    producer.synchronize()
    assert target.copy_(Array(source, strides=(1,))).to_bytes() == b"\5" * 8
    raises(ValueError, "must be contiguous", lambda: target.copy_(Array(source, shape=(4,), strides=(2,))))
    raises(ValueError, "has 8 bytes, what is copied has 4", lambda: target.copy_(Array(source, shape=(4,))))
    lacking = Array(source)
    del lacking.__cuda_array_interface__["typestr"]
    raises(ValueError, "^__cuda_array_interface__ of Array has no 'typestr'$", target.copy_, lacking)
    for number in (0, -1):
        with pytest.raises(ValueError):
            target.copy_(Array(source, number))
    empty = target[:0]
    assert empty.copy_(Array(source, shape=(0,), data=(0, False))).nbytes == 0
