# SPDX-License-Identifier: Apache-2.0
"""What a stage of the pipeline does with its stream: matrix products of PyTorch on a GPU, or a sleeping stream without PyTorch."""
import contextlib
import time

import gpustream

SIDE = 1024  # of the matrices: a product takes some 50 us


def torch_module():
    with contextlib.suppress(ImportError):
        import torch

        return torch if torch.cuda.is_available() else None
    return None


class TorchWork:
    """own_stream: of the thread that calls; else PyTorch's default stream."""

    def __init__(self, items, own_stream=True):
        self.torch, self.items = torch_module(), items
        self.stream = gpustream.Stream() if own_stream else gpustream.default_stream()
        gpustream.set_stream(self.stream)
        if own_stream:
            self.torch.cuda.set_stream(self.torch.cuda.ExternalStream(self.stream.cuda_stream))
        self.left, self.right, self.out = (self.torch.randn(SIDE, SIDE, device="cuda") for _ in range(3))
        self.total = self.torch.zeros((), dtype=self.torch.float64, device="cuda")
        self.products = 0

    def last(self, ms):
        """How many products take so long, measured alone on the GPU. Returns how long they took."""
        self._run(20)
        self.products = max(1, round(ms / (self._ms_of(400) / 400)))
        return self._ms_of(self.products * 20) / 20

    def make(self, index):
        self._run(self.products)
        return self.torch.full((self.items,), float(index), device="cuda")

    def use(self, tensor):
        self._run(self.products)
        self.total += tensor.sum(dtype=self.torch.float64)

    def to_host(self, tensor):
        return tensor.cpu().numpy()

    def from_host(self, array):
        return self.torch.from_numpy(array.copy()).cuda()

    def end(self):
        """Of all that was used, the mean value; the sum begins again."""
        found = self.total.item() / self.items
        self.total.zero_()
        return found

    def _run(self, products):
        for _ in range(products):
            self.torch.mm(self.left, self.right, out=self.out)

    def _ms_of(self, products):
        first, last = (self.torch.cuda.Event(enable_timing=True) for _ in range(2))
        first.record()
        self._run(products)
        last.record()
        last.synchronize()
        return first.elapsed_time(last)


class HostWork:
    """Of bytes: the least significant one of the index."""

    def __init__(self, items, own_stream=True):
        self.stream = gpustream.Stream()
        gpustream.set_stream(self.stream)
        self.items, self.ms, self.used = items, 0.0, []

    def last(self, ms):
        self.ms = ms
        return ms

    def make(self, index):
        self._run()
        return gpustream.Buffer(self.items).fill_(index % 256)

    def use(self, buffer):
        self._run()
        self.used.append(buffer)

    def to_host(self, buffer):
        import numpy

        return numpy.frombuffer(buffer.to_bytes(), numpy.uint8)

    def from_host(self, array):
        return gpustream.Buffer.from_bytes(array.tobytes())

    def end(self):
        used, self.used = self.used, []
        return sum(sum(buffer.to_bytes()) for buffer in used) / self.items

    def _run(self):
        ms = self.ms
        self.stream.launch_host(lambda: time.sleep(ms / 1000))
