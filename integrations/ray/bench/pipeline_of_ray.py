# SPDX-License-Identifier: Apache-2.0
"""The same two actors with Ray's own CUDA IPC transport, which needs PyTorch's own tensors and its default stream."""
import ray
import torch  # noqa: F401  where it is not there, no actors start
from pipeline_stages import Common


@ray.remote(num_cpus=0, num_gpus=0.2)
class First(Common):
    @ray.method(tensor_transport="cuda_ipc")
    def make(self, index, synchronise):
        return self._make(index, synchronise)


@ray.remote(num_cpus=0, num_gpus=0.2, enable_tensor_transport=True)
class Second(Common):
    def __init__(self, items, flight):
        super().__init__(items, flight, own_stream=False)

    def use(self, tensor, synchronise):
        self._use(tensor, synchronise)
