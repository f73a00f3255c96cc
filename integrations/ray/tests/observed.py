# SPDX-License-Identifier: Apache-2.0
"""What the tests' actors have in common: they count what Ray asks of the transport, and answer how they stand."""
import os

import gpustream
import gpustream_ray
import stacks

_receive, _received = gpustream_ray.HostTransport.recv_multiple_tensors, []


def _counted(self, obj_id, *arguments, **named):
    _received.append(obj_id)
    return _receive(self, obj_id, *arguments, **named)


gpustream_ray.HostTransport.recv_multiple_tensors = _counted
gpustream_ray.register()


class Observed:
    def __init__(self):
        stacks.register()

    def stats(self):
        return gpustream_ray.stats()

    def pid(self):
        return os.getpid()

    def received(self):
        """How often Ray has called the transport to receive."""
        return len(_received)

    def synchronizes(self):
        return gpustream._stats()["synchronizes"]
