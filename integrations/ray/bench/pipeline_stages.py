# SPDX-License-Identifier: Apache-2.0
"""The two actors of the pipeline, and what they are with each way to hand over."""
import collections

import gpustream
import gpustream_ray
import ray
from work import HostWork, TorchWork, torch_module

gpustream_ray.register()


class Common:
    def __init__(self, items, flight, own_stream=True):
        self.given = items, own_stream
        self.flight, self.events = flight, collections.deque()

    def begin(self, transport=True):
        """On the thread of the tasks, whose current stream it sets."""
        torch = torch_module()
        if torch is not None and transport:  # Ray's own transports register the class themselves
            gpustream_ray.hand_over(torch.Tensor, torch.from_dlpack)
        self.work = (TorchWork if torch else HostWork)(*self.given)

    def last(self, ms):
        return self.work.last(ms)

    def synchronizes(self):
        return gpustream._stats()["synchronizes"]

    def finish(self):
        self.work.stream.synchronize()
        self.events.clear()

    def end(self):
        return self.work.end()

    def _use(self, thing, synchronise):
        self.work.use(thing)
        if synchronise:
            gpustream.synchronize()
            return
        # A host that submits more than the GPU does would fill its memory: this waits for what came a few messages ago.
        self.events.append(self.work.stream.record_event())
        if len(self.events) > self.flight:
            self.events.popleft().synchronize()

    def _make(self, index, synchronise):
        thing = self.work.make(index)
        if synchronise:
            gpustream.synchronize()
        return thing


@ray.remote(num_cpus=0, num_gpus=0.2)
class First(Common):
    @ray.method(tensor_transport="gpustream")
    def make(self, index, synchronise):
        return self._make(index, synchronise)

    def make_on_host(self, index, synchronise):
        return self.work.to_host(self._make(index, False))


@ray.remote(num_cpus=0, num_gpus=0.2, enable_tensor_transport=True)
class Second(Common):
    def use(self, thing, synchronise):
        self._use(thing, synchronise)

    def use_of_host(self, array, synchronise):
        self._use(self.work.from_host(array), True)
