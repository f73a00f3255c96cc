# SPDX-License-Identifier: Apache-2.0
"""gpustream.Buffer as an array of other libraries: DLPack, __cuda_array_interface__, the buffer protocol."""
import ctypes
import gc
import threading
import weakref

import gpustream
import pytest
from gpustream import Buffer
from support.at_once import in_thread
from support.dlpack import DELETER, Managed, Versioned, api, data_of, read
from support.refusals import raises

numpy = pytest.importorskip("numpy", reason="no wheel of NumPy for this interpreter")
HOST = gpustream.Device("cuda").type == "host"
OWN = (1, 0) if HOST else (2, 0)
PINNED = (1, 0) if HOST else (3, 0)


def test_where_it_is():
    assert Buffer(1).__dlpack_device__() == OWN and Buffer(1, pinned=True).__dlpack_device__() == PINNED
    if not HOST:
        assert Buffer(1, device=1).__dlpack_device__() == (2, 1)


@pytest.mark.parametrize("version, kind", [(None, Managed), ((0, 8), Managed), ((1, 0), Versioned), ((1, 3), Versioned), ((2, 0), Versioned)])
def test_capsules(version, kind):
    buffer = Buffer(24).view("float32", (2, 3))
    found, tensor = read(capsule := buffer.__dlpack__(max_version=version))
    assert type(found) is kind and (tensor.data, tensor.byte_offset) == (buffer.ptr, 0)
    assert (tensor.device_type, tensor.device_id) == OWN and (tensor.code, tensor.bits, tensor.lanes) == (2, 32, 1)
    assert tensor.ndim == 2 and list(tensor.shape[:2]) == [2, 3] and list(tensor.strides[:2]) == [3, 1]
    if kind is Versioned:
        assert (found.major, found.minor, found.flags) == (1, 0, 0)
    raises(BufferError, buffer.close)
    del capsule  # no consumer took it
    buffer.close()


@pytest.mark.parametrize("version", [None, (1, 0)])
def test_a_consumers_tensor_keeps_the_memory(version):
    buffer = Buffer.zeros(16)
    seen, capsule = weakref.ref(buffer), buffer.__dlpack__(max_version=version)
    found, _ = read(capsule)
    name = b"used_" + api.PyCapsule_GetName(capsule)
    api.PyCapsule_SetName(ctypes.py_object(capsule), name)
    del buffer, capsule
    gc.collect()
    assert seen() is not None
    in_thread(DELETER(found.deleter), ctypes.addressof(found))  # which ctypes calls without the GIL
    assert seen() is None


def test_numpy_takes_memory_of_the_host():
    stream = gpustream.Stream()
    buffer = Buffer.zeros(24, stream=stream, pinned=True)
    array = numpy.from_dlpack(buffer.view("int32", (2, 3)))
    array[1, 2] = 5
    assert array.shape == (2, 3) and Buffer(24).copy_(buffer).view("int32").to_bytes()[20] == 5
    assert numpy.asarray(buffer.view("float64")).dtype == numpy.float64
    for dtype in ("bool", "int8", "uint16", "int64", "uint64", "float16", "float32", "complex64"):
        assert numpy.from_dlpack(buffer.view(dtype)).dtype == numpy.dtype(dtype) == numpy.asarray(buffer.view(dtype)).dtype
        assert buffer.view(numpy.dtype(dtype)).dtype == dtype
    assert numpy.asarray(buffer[:16].view(numpy.complex128)).dtype == numpy.complex128
    raises(BufferError, "no bfloat16", lambda: memoryview(buffer.view("bfloat16")))
    raises(BufferError, buffer.close)
    del array
    buffer.close()


def test_types_that_a_device_has_not():
    buffer = Buffer(8)
    assert buffer.view(numpy.dtype("int32")).shape == (2,) and buffer.view(numpy.dtype("|u1")).shape == (8,)
    raises(ValueError, "another byte order", buffer.view, numpy.dtype("int32").newbyteorder())
    for dtype in (object, [("name", object)]):
        raises(TypeError, "Python objects", buffer.copy_, numpy.zeros(1, dtype))
    buffer.copy_(numpy.zeros(1, [("Offset", "i4"), ("a", "f4")]))
    assert buffer.to_bytes() == bytes(8)


@pytest.mark.host_only
def test_numpy_takes_a_devices_memory_that_is_the_hosts():
    buffer = Buffer.from_bytes(bytes(range(8)))
    assert numpy.from_dlpack(buffer).tolist() == numpy.asarray(buffer).tolist() == list(range(8))


def test_the_consumers_stream_waits(gate):
    own, held = gpustream.Stream(), gate()
    buffer = Buffer.zeros(16, stream=own, pinned=True)
    held.hold(own)
    assert data_of(buffer.__dlpack__(stream=-1)) == buffer.ptr
    if HOST:
        timer = threading.Timer(0.05, held.open)
        timer.start()
        buffer.__dlpack__()
        assert own.query()
        timer.join()
        for number in (1, 2, 0, own.cuda_stream):
            raises(ValueError, "has no streams in DLPack|memory of the host", buffer.__dlpack__, stream=number)
        return
    consumer = gpustream.Stream()
    for number in (consumer.cuda_stream, 1, own.cuda_stream):
        buffer.__dlpack__(stream=number)
    assert not consumer.query() and not gpustream.default_stream().query()
    held.open()
    consumer.synchronize()
    device = Buffer.zeros(16, stream=own)
    for stream in (None, 1, 2, consumer.cuda_stream):
        assert data_of(device.__dlpack__(stream=stream)) == device.ptr


def test_wrong_requests():
    buffer = Buffer.zeros(8)
    for device in ((2, 7), (8, 0), (1, 1), (0, 0)):
        raises(BufferError, "is not made here", buffer.__dlpack__, dl_device=device)
    for wrong in ({"max_version": 1}, {"max_version": (1,)}, {"max_version": ("1", 0)}, {"dl_device": 1}, {"dl_device": "ab"}, {"copy": "x"},
                  {"stream": "1"}, {"stream": True}):
        raises((TypeError, ValueError), buffer.__dlpack__, **wrong)
    for number in (0, -2):
        raises(ValueError, buffer.__dlpack__, stream=number)
    raises(TypeError, buffer.__dlpack__, 1)
    buffer.close()


def test_copies_on_request():
    buffer = Buffer.from_bytes(bytes(range(8)), pinned=True)
    capsule = buffer.view("int16").__dlpack__(max_version=(1, 0), copy=True)
    found, tensor = read(capsule)
    assert found.flags == 2 and tensor.data != buffer.ptr and tensor.bits == 16
    buffer.close()
    on_device = Buffer.from_bytes(bytes(range(8)))
    capsule = on_device.__dlpack__(max_version=(1, 0), dl_device=(1, 0))
    found, tensor = read(capsule)
    assert ctypes.string_at(tensor.data, 8) == bytes(range(8)) and tensor.device_type == 1
    assert found.flags == (0 if HOST else 2)
    if not HOST:
        raises(BufferError, "not on the host without a copy", on_device.__dlpack__, dl_device=(1, 0), copy=False)
    assert data_of(on_device.__dlpack__(copy=False)) == on_device.ptr


def test_the_cuda_array_interface():
    buffer = Buffer(24, stream=gpustream.Stream()).view("float32", (2, 3))
    assert not hasattr(Buffer(1, pinned=True), "__cuda_array_interface__")
    if HOST:
        assert not hasattr(buffer, "__cuda_array_interface__")
        return
    assert buffer.__cuda_array_interface__ == {"shape": (2, 3), "typestr": "<f4", "data": (buffer.ptr, False), "version": 3, "strides": None,
                                               "stream": 1}  # the default stream, which is current
    with buffer.stream:
        assert buffer.__cuda_array_interface__["stream"] == buffer.stream.cuda_stream
    assert Buffer(1).__cuda_array_interface__["stream"] == 1 and buffer[:0].__cuda_array_interface__["data"] == (0, False)
    with pytest.raises(AttributeError, match="no bfloat16"):
        buffer.view("bfloat16").__cuda_array_interface__  # noqa: B018


def test_the_buffer_protocol_shows_the_devices_memory_only_where_the_host_can_read_it():
    buffer = Buffer.from_bytes(bytes(range(8)))
    if HOST:
        assert memoryview(buffer).tolist() == list(range(8)) and memoryview(buffer.view("int16", (2, 2))).shape == (2, 2)
    else:
        raises(BufferError, "code of the host cannot read", memoryview, buffer)


def test_numpy_says_why_not():
    numpy = pytest.importorskip("numpy", reason="no wheel of NumPy for this interpreter")
    buffer = Buffer.zeros(8, pinned=True)
    assert numpy.asarray(buffer).shape == (8,)
    with gpustream.graph(gpustream.CUDAGraph()):
        buffer.fill_(1)
        raises(gpustream.CapturingError, numpy.asarray, buffer)
    gpustream.set_sync_debug_mode("error")
    raises(gpustream.SyncForbiddenError, numpy.asarray, buffer)
    gpustream.set_sync_debug_mode(0)
    buffer.close()
    raises(gpustream.InvalidHandleError, "the buffer was closed", numpy.asarray, buffer)
