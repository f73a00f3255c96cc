# SPDX-License-Identifier: Apache-2.0
"""A tensor transport of Ray: arrays go from an actor's stream to another one's, in order, without a host synchronise.

    import gpustream_ray, ray

    gpustream_ray.register()          # before the classes of actors that use it

    @ray.remote
    class Producer:
        @ray.method(tensor_transport="gpustream")
        def make(self):
            ...                       # submits work to the current stream, waits for nothing
            return array

A task that gets the array as an argument finds the current stream waiting for it: what the task submits there comes after
the producer's work and the copy. A thread that reads the array itself synchronises the stream before.
docs/guide/beyond-one-process.md says what is guaranteed, and what happens at each failure.
"""
from gpustream_ray._buffers import hand_over
from gpustream_ray._errors import HandoverError, StaleHandoverError, UnreachableError, VersionMismatchError
from gpustream_ray._transport import NAME, HostTransport, register, stats

__all__ = [
    "NAME", "HandoverError", "HostTransport", "StaleHandoverError", "UnreachableError", "VersionMismatchError", "hand_over", "register",
    "stats",
]
__version__ = "0.1.0"
