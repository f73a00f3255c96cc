# SPDX-License-Identifier: Apache-2.0
"""Ray actors on one GPU, which hand over what gpu_libraries has, and wait for nothing but where they say so."""
import gpustream
import ray
from gpu_libraries import KINDS
from observed import Observed


class _Common(Observed):
    def begin(self, library):
        """On the thread of the tasks. Uses all kernels once: drivers load them when they are first used, and may wait for the GPU then."""
        self.stream = gpustream.Stream()
        gpustream.set_stream(self.stream)
        self.library = KINDS[library](self.stream)
        made = self.library.make(1)
        self.library.values(self.library.worked_on(made))
        self.library.overwrite(made, 2)
        self.stream.synchronize()
        return gpustream.current_stream().device.type


@ray.remote(num_cpus=0, num_gpus=0.1)
class Source(_Common):
    def begin(self, library):
        self.gate, self.opened = gpustream.Timeline(), 0
        return super().begin(library)

    @ray.method(tensor_transport="gpustream")
    def make(self, value, gated=False):
        """An array that will have the value, and that the task's end overwrites in the stream."""
        if gated:
            self.gate.wait(self.opened + 1)
        self.made = self.library.make(value)
        return {"array": self.made, "value": value}

    def overwrite(self):
        self.library.overwrite(self.made, 99)

    def open_gate(self):
        self.opened += 1
        self.gate.set(self.opened)

    def finish(self):
        self.stream.synchronize(timeout=30)


@ray.remote(num_cpus=0, num_gpus=0.1, enable_tensor_transport=True)
class Destination(_Common):
    kept = None

    def take(self, things):
        """Works on it at once. Returns whether the stream waits."""
        self.kept = things, self.library.worked_on(things["array"])
        return not self.stream.query()

    def values(self):
        """What has come, and what the work made of it."""
        things, result = self.kept
        return self.library.values(things["array"]), self.library.values(result)[1], things["value"]

    def wait(self, limit):
        """How it ended: the error's name."""
        try:
            self.stream.synchronize(timeout=limit)
        except gpustream.Error as error:
            return type(error).__name__
        return "done"

    def drop(self):
        self.kept = None
