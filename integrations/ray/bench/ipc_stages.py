# SPDX-License-Identifier: Apache-2.0
"""Actors that hand tensors over by Ray's own CUDA IPC transport. It sends no copy: the tensor is the source's memory.

Ray opens its event on a thread of its own, which makes PyTorch's default stream wait. So the destination works there.
"""
import gpustream
import ray
import torch
from stages import Destination, Source, is_wrong, synchronizes


class Common:
    def synchronizes(self):
        return synchronizes()


@ray.remote(num_cpus=0, num_gpus=0.2)
class Sender(Common):
    def __init__(self, board, size):
        self.board, self.size = board, size

    def begin(self):
        self.source = Source(self.board, self.size)
        torch.cuda.set_stream(torch.cuda.ExternalStream(self.source.stream.cuda_stream))
        torch.zeros(self.size, dtype=torch.uint8, device="cuda").fill_(1)  # loads the kernels, which would wait behind a hold

    @ray.method(tensor_transport="cuda_ipc")
    def cuda_ipc(self, turn):
        tensor = torch.empty(self.size, dtype=torch.uint8, device="cuda")
        self.source.submit(turn, lambda: tensor.fill_(turn % 256))
        return tensor

    def finish(self):
        self.source.finish()


@ray.remote(num_cpus=0, num_gpus=0.2, enable_tensor_transport=True)
class Receiver(Common):
    def __init__(self, board):
        self.board = board

    def begin(self):
        self.destination = Destination(self.board, own_stream=False)
        torch.zeros(1, device="cuda")
        gpustream.set_stream(self.destination.stream)

    def take(self, turn, tensor):
        self.destination.go_on(turn)
        return synchronizes(), is_wrong(tensor.cpu().numpy().tobytes(), turn)
