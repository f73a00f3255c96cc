# SPDX-License-Identifier: Apache-2.0
"""Actors that hand buffers over by gpustream-ray, and their contents by Ray's object store."""
import gpustream
import gpustream_ray
import numpy
import ray
from stages import Destination, Source, is_wrong, synchronizes

gpustream_ray.register()


class Common:
    def begin(self):
        """On the thread of the tasks, whose current stream it sets."""

    def synchronizes(self):
        return synchronizes()


@ray.remote(num_cpus=0, num_gpus=0.2)
class Sender(Common):
    def __init__(self, board, size):
        self.board, self.size = board, size

    def begin(self):
        self.source = Source(self.board, self.size)
        gpustream.set_stream(self.source.stream)

    @ray.method(tensor_transport="gpustream")
    def gpustream(self, turn):
        self.source.submit(turn)
        return self.source.buffer

    @ray.method(tensor_transport="gpustream")
    def ray_device(self, turn):
        self.source.submit(turn)
        gpustream.synchronize()
        return self.source.buffer

    def ray_host(self, turn):
        self.source.submit(turn)
        return numpy.frombuffer(self.source.buffer.to_bytes(), numpy.uint8)

    def finish(self):
        self.source.finish()


@ray.remote(num_cpus=0, num_gpus=0.2, enable_tensor_transport=True)
class Receiver(Common):
    def __init__(self, board):
        self.board = board

    def begin(self):
        self.destination = Destination(self.board)
        gpustream.set_stream(self.destination.stream)

    def take(self, turn, arrived):
        """Returns the synchronises up to then, and whether the contents are wrong."""
        if isinstance(arrived, numpy.ndarray):
            arrived = gpustream.Buffer.from_bytes(arrived.tobytes())
        self.destination.go_on(turn)
        return synchronizes(), is_wrong(arrived.to_bytes(), turn)

