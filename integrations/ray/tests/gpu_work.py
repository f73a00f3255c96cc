# SPDX-License-Identifier: Apache-2.0
"""What the tests' processes do with buffers of a GPU."""
import ctypes
import os

import gpustream
import numpy
from gpustream_ray import _buffers


class Foreign:
    """An array of a library that knows __cuda_array_interface__ only; on the fake driver the host can read its memory."""

    def __init__(self, source):
        self.interface = source.__cuda_array_interface__
        self.source = source

    def read(self):
        address, _ = self.interface["data"]
        items = numpy.dtype(self.interface["typestr"]).type, int(numpy.prod(self.interface["shape"]))
        size = items[1] * numpy.dtype(items[0]).itemsize
        return numpy.frombuffer((ctypes.c_uint8 * size).from_address(address), self.interface["typestr"])


class Tensor:
    """An array of a library that knows DLPack only."""

    def __init__(self, source):
        self.buffer = gpustream.from_dlpack(source)

    def __dlpack_device__(self):
        return self.buffer.__dlpack_device__()

    def __dlpack__(self, **how):
        return self.buffer.__dlpack__(**how)


class GpuWork:
    """Of a process with a transport, a stream, a gate, and a dictionary of what is coming."""

    def _send(self, name, items):
        return self.transport.extract_tensor_transport_metadata(name, items)

    def make_gpu_buffer(self, name, value, other_stream=False):
        """Written in its stream behind the gate, handed over, and overwritten in its stream at once."""
        stream = gpustream.Stream() if other_stream else self.stream
        with self.stream as current:
            with stream:
                self.gate.wait(1)
                buffer = gpustream.Buffer(4096).fill_(value).view("int16", (64, 32))
            meta = self._send(name, [_buffers.to_bytes_of_gpu(buffer)])
            stream.wait_stream(current)
            buffer.fill_(0)
        return meta, buffer.dtype, buffer.shape

    def take_gpu_buffer(self, name, meta, dtype, shape):
        """Returns whether the stream waits."""
        self.lease(name, meta)
        with self.stream as stream:
            self.coming[name] = self.coming[name][0].view(dtype, shape)
            return not stream.query()

    def make_mixed(self, name, value):
        array = numpy.full(100, float(value))  # a driver may read pageable memory when the copy is submitted
        with self.stream as stream:
            buffer = gpustream.Buffer(512).fill_(value)
            meta = self._send(name, [buffer, array, buffer[:0]])
            stream.launch_host(lambda: array.fill(-1))
            stream.keep(array)
        return meta

    def take_mixed(self, name, meta):
        self.lease(name, meta)
        with self.stream as stream:
            buffer, array, empty = (self.coming[name][index] for index in range(3))
            stream.synchronize()
        assert set(array) == {array[0]}
        return set(buffer.to_bytes()), float(array[0]), empty.nbytes

    def make_many_gpu(self, first, count):
        with self.stream:
            buffer = gpustream.Buffer(64)
            return [self._send(str(number), [buffer.fill_(number % 256)]) for number in range(first, first + count)]

    def take_many_gpu(self, first, metas):
        with self.stream:
            for number, meta in enumerate(metas, first):
                found = set(self.transport.recv_multiple_tensors(str(number), meta, None)[0].to_bytes())
                self.wrong += found != {number % 256}

    def make_large(self, name, size):
        with self.stream:
            return self._send(name, [gpustream.Buffer(size)])

    def make_on_two(self, name):
        buffers = []
        for device in 0, 1:
            with gpustream.Stream(device):
                buffers.append(gpustream.Buffer(8))
        return self._send(name, buffers)

    def gpu_memory(self):
        """Bytes of the device that are in use."""
        free, total = gpustream.mem_get_info()
        return total - free

    def shared_by_gpu(self):
        """Mappings of memory that the driver shares."""
        with open("/proc/self/maps") as maps:
            return sum("memfd:fake-cuda" in line for line in maps)

    def seen_by_others(self, name):
        """The type, the shape, whether the interface names the buffer's stream, and the items."""
        buffer = self.coming[name]
        with self.stream as stream:
            seen = Foreign(buffer)
            stream.synchronize()
            same = gpustream.interop.from_cuda_array_interface(seen.interface["stream"]) == buffer.stream
            return seen.interface["typestr"], seen.interface["shape"], same, set(seen.read().tolist())

    def wait(self, name, limit):
        self.coming[name].stream.synchronize(timeout=limit)

    def record(self):
        self.event = self.stream.record_event()

    def is_recorded_work_done(self):
        return self.event.query()

    def pid(self):
        return os.getpid()
