# SPDX-License-Identifier: Apache-2.0
"""gpustream.Buffer and PyTorch, CuPy, numba-cuda, cuda.core and JAX on a real GPU: the same memory, in order.

As in test_gpu_interop.py a stream is held before it writes 7 over 1.
"""
import importlib

import gpustream
from support.real_gpu import MARKS, SIZE, package
from support.refusals import raises
from test_gpu_interop import core, cupy, numba_cuda, numba_pinned, torch, write_late  # noqa: F401

pytestmark = MARKS


def held_buffer(stream):
    """A buffer of ones into which the stream, held for long, will write 7."""
    buffer = gpustream.Buffer(SIZE, stream=stream).fill_(1, stream=stream)
    stream.synchronize()
    write_late(buffer.ptr, stream)
    return buffer


def test_torch_takes_a_buffer(torch):
    ours = gpustream.Stream()
    torch.zeros(SIZE, dtype=torch.uint8, device="cuda").sum().item()  # loads what the sum below needs
    buffer = held_buffer(ours)
    tensor = torch.from_dlpack(buffer)
    assert ours.query() is False and tensor.data_ptr() == buffer.ptr
    assert tensor.to(torch.int64).sum().item() == 7 * SIZE
    raises(BufferError, buffer.close)
    assert torch.as_tensor(buffer.view("float32", (4, -1)), device="cuda").shape == (4, SIZE // 16)


def test_a_buffer_of_torchs_memory(torch):
    theirs, ours = torch.cuda.Stream(), gpustream.Stream()
    tensor = torch.ones(4, SIZE // 4, dtype=torch.uint8, device="cuda")
    torch.cuda.synchronize()
    write_late(tensor.data_ptr(), theirs)
    with torch.cuda.stream(theirs):
        buffer = gpustream.from_dlpack(tensor, stream=ours)
    assert theirs.query() is False and (buffer.shape, buffer.dtype, buffer.ptr) == ((4, SIZE // 4), "uint8", tensor.data_ptr())
    del tensor
    assert set(buffer.to_bytes()) == {7}
    assert gpustream.Buffer(32).copy_(torch.arange(8, device="cuda", dtype=torch.int32)).view("int32").shape == (8,)


def test_cupy_takes_a_buffer(cupy):
    ours, theirs = gpustream.Stream(), cupy.cuda.Stream(non_blocking=True)
    with theirs:
        cupy.asnumpy(cupy.zeros(SIZE, cupy.uint8))
        for take in (cupy.from_dlpack, cupy.asarray):
            buffer = held_buffer(ours)
            array = take(buffer)
            assert array.data.ptr == buffer.ptr and set(cupy.asnumpy(array).tolist()) == {7}
            del array
        buffer = gpustream.from_dlpack(cupy.arange(6, dtype=cupy.float32).reshape(2, 3), stream=ours)
        assert (buffer.shape, buffer.dtype) == ((2, 3), "float32")
        assert gpustream.Buffer(24, stream=ours).copy_(cupy.ones(6, cupy.float32)).to_bytes() == b"\0\0\x80?" * 6


def test_numba_takes_a_buffer(numba_cuda):
    buffer = held_buffer(gpustream.Stream())
    host = numba_pinned(numba_cuda, 0)
    numba_cuda.as_cuda_array(buffer).copy_to_host(host)  # waits for the stream that the interface names
    assert set(host.tolist()) == {7}


def test_core_takes_a_buffer(core):
    view_of = getattr(getattr(core, "utils", None), "StridedMemoryView", None) or importlib.import_module("cuda.core.utils").StridedMemoryView
    buffer = gpustream.Buffer.zeros(SIZE).view("float32", (4, -1))
    seen = view_of.from_any_interface(buffer, stream_ptr=-1) if hasattr(view_of, "from_any_interface") else view_of(buffer, stream_ptr=-1)
    assert seen.ptr == buffer.ptr and tuple(seen.shape) == buffer.shape and seen.is_device_accessible


def test_jax_takes_a_buffer():
    jax = package("jax")
    buffer = gpustream.Buffer.zeros(64).fill_(3)
    assert jax.dlpack.from_dlpack(buffer.view("uint8")).sum() == 192
