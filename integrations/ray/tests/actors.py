# SPDX-License-Identifier: Apache-2.0
"""Ray actors that submit work and wait for nothing."""
import os

import gpustream
import gpustream_ray
import numpy
import ray
from asking import LIMIT
from gpu_work import Tensor
from observed import Observed

gpustream_ray.hand_over(Tensor, Tensor)


class _Common(Observed):
    def __init__(self):
        super().__init__()
        self.kept = {}

    def open_files(self):
        """What the process has open and mapped of the folder for shared memory."""
        shared = os.environ["GPUSTREAM_SHM_DIR"]
        files = [os.path.realpath(each.path) for each in os.scandir("/proc/self/fd")]
        with open("/proc/self/maps") as maps:
            return sum(each.startswith(shared) for each in files), sum(shared in line for line in maps)

    def memory(self):
        """Bytes of the process in memory that no file has."""
        with open("/proc/self/status") as status:
            return next(int(line.split()[1]) << 10 for line in status if line.startswith("RssAnon"))


@ray.remote(num_cpus=0)
class Source(_Common):
    def __init__(self):
        super().__init__()
        self.gate, self.opened = gpustream.Timeline(), 0

    @ray.method(tensor_transport="gpustream")
    def make(self, value, items=1000, gated=False):
        """Two arrays that will have the value in them, and are overwritten in the stream after that."""
        stream = gpustream.current_stream()
        one, two = numpy.zeros(items), numpy.zeros(3, numpy.int32)
        if gated:
            self.gate.wait(self.opened + 1)
        stream.launch_host(lambda: (one.fill(value), two.fill(int(value))))
        self.kept = one, two
        return {"one": one, "two": two, "name": "as it was"}

    @ray.method(tensor_transport="gpustream")
    def make_buffer(self, value, kind=None):
        """A buffer, a part of it, and one as another library's tensor, which are overwritten in the stream at once, beside an array."""
        self.gate.wait(self.opened + 1)
        buffer = gpustream.Buffer(4096).fill_(value).view("float32")
        array = numpy.zeros(3)
        if self.device() == "cuda":
            array.fill(value)  # a driver may read pageable memory when the copy is submitted
        else:
            gpustream.current_stream().launch_host(lambda: array.fill(value))
        self.kept = (array,)
        self.buffer = buffer
        return {"whole": buffer, "part": buffer[8:16], "array": array, "tensor": kind and kind(buffer[16:20])}

    def overwrite_buffer(self):
        self.buffer.fill_(0)

    def device(self):
        return gpustream.current_stream().device.type

    def plain_buffer(self):
        return gpustream.Buffer(16)

    def overwrite(self):
        stream, kept = gpustream.current_stream(), self.kept
        stream.launch_host(lambda: [array.fill(-1) for array in kept])

    def open_gate(self):
        """For what was gated up to now."""
        self.opened += 1
        self.gate.set(self.opened)


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
        stream.launch_host(lambda: total.__setitem__(slice(None), (things["one"].sum(), things["two"].sum())))
        stream.synchronize(timeout=LIMIT)
        return [*map(float, total), things["name"]]

    def buffers(self, name="last"):
        """What the buffers and the array have, and whether the buffers belong to the current stream."""
        things = self.kept[name]
        whole, part, current = things["whole"], things["part"], gpustream.current_stream()
        same = whole.stream == part.stream == current
        found = [whole.dtype, whole.nbytes, *set(whole.to_bytes()), part.nbytes, *set(part.to_bytes()), *set(things["array"])]
        if things["tensor"] is not None:
            tensor = things["tensor"].buffer
            found += [tensor.dtype, tensor.shape, *set(tensor.to_bytes())]
        return same, found

    def wait(self, limit):
        gpustream.current_stream().synchronize(timeout=limit)

    def drop(self):
        self.kept.clear()

    def renew_stream(self):
        """A stream that waited for a lost process stays failed."""
        gpustream.set_stream(gpustream.Stream())
