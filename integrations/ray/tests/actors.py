# SPDX-License-Identifier: Apache-2.0
"""Ray actors that submit work and wait for nothing."""
import os

import gpustream
import gpustream_ray
import numpy
import ray

LIMIT = 90.0
gpustream_ray.register()


class _Common:
    def __init__(self):
        self.kept = {}

    def stats(self):
        return gpustream_ray.stats()

    def pid(self):
        return os.getpid()

    def synchronizes(self):
        return gpustream._stats()["synchronizes"]


@ray.remote(num_cpus=0)
class Source(_Common):
    def __init__(self):
        super().__init__()
        self.gate = gpustream.Timeline()

    @ray.method(tensor_transport="gpustream")
    def make(self, value, items=1000, gated=False):
        """Two arrays that will have the value in them, and are overwritten in the stream after that."""
        stream = gpustream.current_stream()
        one, two = numpy.zeros(items), numpy.zeros(3, numpy.int32)
        if gated:
            self.gate.wait(1)
        stream.launch_host_func(lambda: (one.fill(value), two.fill(int(value))))
        self.kept = one, two
        return {"one": one, "two": two, "name": "as it was"}

    @ray.method(tensor_transport="gpustream")
    def make_buffer(self, value):
        """A buffer and a part of it, which are overwritten in the stream at once, beside an array."""
        self.gate.wait(1)
        buffer = gpustream.Buffer(4096).fill_(value).view("float32")
        array = numpy.zeros(3)
        gpustream.current_stream().launch_host_func(lambda: array.fill(value))
        self.kept = (array,)
        self.buffer = buffer
        return {"whole": buffer, "part": buffer[8:16], "array": array}

    def overwrite_buffer(self):
        self.buffer.fill_(0)

    def plain_buffer(self):
        return gpustream.Buffer(16)

    def overwrite(self):
        stream, kept = gpustream.current_stream(), self.kept
        stream.launch_host_func(lambda: [array.fill(-1) for array in kept])

    def open_gate(self):
        self.gate.set(1)


@ray.remote(num_cpus=0, enable_tensor_transport=True)
class Destination(_Common):
    def take(self, things, name="last"):
        """Keeps the arrays; returns whether the current stream waits."""
        self.kept[name] = things
        return not gpustream.current_stream().query()

    def sums(self, name="last", own_stream=False):
        """Of the arrays, computed in a stream."""
        things = self.kept[name]
        total = numpy.zeros(2)
        stream = gpustream.current_stream()
        if own_stream:
            stream = gpustream.Stream()
            stream.wait_stream(gpustream.current_stream())
        stream.launch_host_func(lambda: total.__setitem__(slice(None), (things["one"].sum(), things["two"].sum())))
        stream.synchronize(timeout=LIMIT)
        return [*map(float, total), things["name"]]

    def buffers(self, name="last"):
        """What the buffers and the array have, and whether the buffers belong to the current stream."""
        things = self.kept[name]
        whole, part, current = things["whole"], things["part"], gpustream.current_stream()
        same = whole.stream == part.stream == current
        found = [whole.dtype, whole.nbytes, *set(whole.to_bytes()), part.nbytes, *set(part.to_bytes()), *set(things["array"])]
        return same, found

    def wait(self, limit):
        gpustream.current_stream().synchronize(timeout=limit)

    def drop(self):
        self.kept.clear()
