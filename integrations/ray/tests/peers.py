# SPDX-License-Identifier: Apache-2.0
"""Processes that hand arrays over without Ray: what the tests ask them by a pipe, they do by the transport."""
import multiprocessing
import os
import signal
import time

import gpustream
import numpy
from gpustream_ray import HostTransport, _buffers, stats
from gpustream_ray._inbox import Lease
from gpu_work import GpuWork

LIMIT = 60.0  # seconds, of what ends by itself


class _Actor(GpuWork):
    """What a child process has."""

    def __init__(self):
        self.transport = HostTransport()
        self.stream = gpustream.Stream()
        self.gate = gpustream.Timeline()
        self.coming = {}
        self.wrong = 0

    def make(self, name, value, items=1000, gated=False):
        """An array that is written in the stream, handed over, and overwritten in the stream at once."""
        array = numpy.zeros(items)
        with self.stream as stream:
            if gated:
                self.gate.wait(1)
            stream.launch_host(lambda: array.fill(value))
            meta = self.transport.extract_tensor_transport_metadata(name, [array])
            stream.launch_host(lambda: array.fill(-1))
            stream.keep(array)
        return meta

    def make_two(self, name, *values):
        """Two arrays in one message."""
        with self.stream:
            return self.transport.extract_tensor_transport_metadata(name, [numpy.full(1000, value) for value in values])

    def make_many(self, first, count):
        """Each with its number in all items; the same array for all."""
        array = numpy.zeros(16)
        metas = []
        with self.stream as stream:
            for number in range(first, first + count):
                stream.launch_host(lambda number=number: array.fill(number))
                metas.append(self.transport.extract_tensor_transport_metadata(str(number), [array]))
        return metas

    def make_buffer(self, name, value, other_stream=False):
        """A buffer that is written in its stream, handed over, and overwritten in its stream at once."""
        stream = gpustream.Stream() if other_stream else self.stream
        with self.stream as current:
            with stream:
                self.gate.wait(1)
                buffer = gpustream.Buffer(4096).fill_(value).view("int16", (64, 32))
            meta = self.transport.extract_tensor_transport_metadata(name, [_buffers.to_array(buffer)])
            stream.wait_stream(current)
            buffer.fill_(0)
        return meta, buffer.dtype, buffer.shape

    def take_buffer(self, name, meta, dtype, shape):
        """Returns whether the stream waits."""
        self.lease(name, meta)
        with self.stream as stream:
            self.coming[name] = _buffers.from_array(self.coming[name][0], dtype, shape)
            return not stream.query()

    def bytes_of(self, name):
        buffer = self.coming[name]
        return buffer.dtype, buffer.shape, buffer.stream == self.stream, set(buffer.to_bytes())

    def settle(self):
        """Waits until the stream is past its copies into the slots, which are free no sooner."""
        self.stream.synchronize(timeout=LIMIT)

    def free(self, *names):
        for name in names:
            self.transport.garbage_collect(name, None, [])

    def take(self, name, meta):
        """Returns whether the stream waits."""
        self.lease(name, meta)
        with self.stream as stream:
            self.coming[name][0]
            return not stream.query()

    def take_many(self, first, metas):
        """Checks the values in the stream."""
        with self.stream as stream:
            for number, meta in enumerate(metas, first):
                array = self.transport.recv_multiple_tensors(str(number), meta, None)[0]
                stream.launch_host(lambda array=array, number=number: self._check(array, number))

    def _check(self, array, number):
        self.wrong += not (array == number).all()

    def count_wrong(self):
        self.stream.synchronize(timeout=LIMIT)
        return self.wrong

    def lease(self, name, meta):
        self.coming[name] = self.transport.recv_multiple_tensors(name, meta, None)

    def drop(self, name):
        del self.coming[name]

    def values(self, name):
        """The least and the greatest item, once the array is there."""
        self.stream.synchronize(timeout=LIMIT)
        array = list.__getitem__(self.coming[name], 0)
        return float(array.min()), float(array.max())

    def abort(self, name):
        self.transport.abort_transport(name, None)

    def forget_to_wait(self):
        """The seeded bug: copies do not wait for the source."""
        Lease.order = lambda self, stream: None

    def token_is_over(self, meta):
        """Whether the lease of the message's token has ended."""
        try:
            gpustream.Token.from_bytes(meta.token).status  # noqa: B018
        except gpustream.InvalidHandleError:
            return True
        return False

    def take_on_closed_stream(self, name, meta):
        stream = gpustream.Stream()
        stream.close()
        self.lease(name, meta)
        self.coming[name]._lease.order(stream)

    def descriptors(self):
        return len(os.listdir("/proc/self/fd"))

    def mappings(self):
        """Of files in the folder for shared memory."""
        with open("/proc/self/maps") as maps:
            return sum(os.environ["GPUSTREAM_SHM_DIR"] in line for line in maps)

    def open_gate(self):
        self.gate.set(1)

    def set_limit(self, size):
        os.environ["GPUSTREAM_RAY_BYTES"] = str(size)

    def synchronizes(self):
        return gpustream._stats()["synchronizes"]

    def stats(self):
        return stats()


def _serve(connection, environment):
    os.environ.update(environment)  # before the library reads it
    actor = _Actor()
    while True:
        try:
            method, arguments = connection.recv()
        except EOFError:
            return
        try:
            connection.send((True, getattr(actor, method)(*arguments)))
        except Exception as error:
            connection.send((False, error))


class Peer:
    """A child process."""

    def __init__(self, **environment):
        context = multiprocessing.get_context("forkserver")  # importing Ray takes longer than all the rest
        context.set_forkserver_preload(["gpustream_ray", "peers"])
        self._here, there = context.Pipe()
        self.process = context.Process(target=_serve, args=(there, environment), daemon=True)
        self.process.start()
        there.close()

    def __getattr__(self, method):
        def ask(*arguments):
            self._here.send((method, arguments))
            assert self._here.poll(LIMIT), f"{method} did not return"
            right, value = self._here.recv()
            if not right:
                raise value
            return value

        return ask

    def kill(self):
        os.kill(self.process.pid, signal.SIGKILL)
        self.process.join(LIMIT)

    def end(self):
        self._here.close()
        self.process.join(LIMIT)
        assert self.process.exitcode is not None, "the process did not end"
        return self.process.exitcode


def eventually(ask, wanted):
    end = time.monotonic() + LIMIT
    while (found := ask()) != wanted and time.monotonic() < end:
        time.sleep(0.01)
    assert found == wanted


def has_ended(pid):
    """True also of a zombie: the first process of a container may leave orphans as such."""
    try:
        with open(f"/proc/{pid}/stat") as stat:
            return stat.read().rpartition(")")[2].split()[0] in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return True
