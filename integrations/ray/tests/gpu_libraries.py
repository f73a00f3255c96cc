# SPDX-License-Identifier: Apache-2.0
"""The arrays that actors on a GPU hand over: PyTorch's, CuPy's and buffers. All work is in the current stream."""
import gpustream
import gpustream_ray

ITEMS = 1 << 20


class Torch:
    def __init__(self, stream):
        import torch

        self._torch = torch
        gpustream_ray.hand_over(torch.Tensor, torch.from_dlpack)
        torch.cuda.set_stream(torch.cuda.ExternalStream(stream.cuda_stream))

    def make(self, value):
        return self._torch.full((1024, ITEMS // 1024), float(value), device="cuda")

    def overwrite(self, tensor, value):
        tensor.fill_(value)

    def worked_on(self, tensor):
        """A kernel of the destination's, right after the hand-over."""
        return tensor * 2 + 1

    def values(self, tensor):
        return self._described(tensor), set(tensor.unique().tolist())

    def _described(self, tensor):
        return type(tensor).__name__, tuple(tensor.shape), str(tensor.dtype)


class Cupy:
    def __init__(self, stream):
        import cupy

        self._cupy = cupy
        gpustream_ray.hand_over(cupy.ndarray, cupy.from_dlpack)
        self._stream = cupy.cuda.ExternalStream(stream.cuda_stream)  # CuPy does not keep it
        self._stream.use()

    def make(self, value):
        return self._cupy.full((1024, ITEMS // 1024), value, self._cupy.float32)

    def overwrite(self, array, value):
        array.fill(value)

    def worked_on(self, array):
        return array * 2 + 1

    def values(self, array):
        return (type(array).__name__, array.shape, str(array.dtype)), set(self._cupy.unique(array).tolist())


class Buffer:
    """Of bytes; the destination's work is a copy, as the library has no kernels."""

    def __init__(self, stream):
        pass

    def make(self, value):
        return gpustream.Buffer(ITEMS).fill_(value)

    def overwrite(self, buffer, value):
        buffer.fill_(value)

    def worked_on(self, buffer):
        return gpustream.Buffer(buffer.nbytes).copy_(buffer)

    def values(self, buffer):
        return (type(buffer).__name__, buffer.shape, buffer.dtype), set(buffer.to_bytes())


KINDS = {"torch": Torch, "cupy": Cupy, "buffer": Buffer}
EXPECTED = {"torch": (("Tensor", (1024, 1024), "torch.float32"), lambda value: 2 * value + 1),
            "cupy": (("ndarray", (1024, 1024), "float32"), lambda value: 2 * value + 1),
            "buffer": (("Buffer", (ITEMS,), "uint8"), lambda value: value)}
