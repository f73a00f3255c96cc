# SPDX-License-Identifier: Apache-2.0
"""Arrays on their way: what a receive returns, and the thread that gives leases back.

Ray receives on a thread of its own, and hands the arrays to the thread that wanted them when it takes them out of the
list. So that is when they are copied: on that thread's current stream.
"""
from __future__ import annotations

import functools
import itertools
import threading
from collections.abc import Callable, Sequence
from typing import Any, SupportsIndex, overload

import gpustream
import numpy
from gpustream.errors import Status, fail

from gpustream_ray import _buffers
from gpustream_ray._inbox import Lease


class Releaser:
    """Releases leases and slots when the streams are past their copies, also if these fail. No stream is waited for."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._queue: gpustream.Queue | None = None
        self._pending: dict[int, Callable[[], None]] = {}
        self._numbers = itertools.count(1)

    def add(self, stream: gpustream.Stream, release: Callable[[], None]) -> None:
        """Calls release() when the work submitted so far is done. It must not raise."""
        with self._lock:
            if self._queue is None:
                queue = gpustream.Queue()
                threading.Thread(target=self._run, args=(queue,), name="gpustream-ray", daemon=True).start()
                self._queue = queue
            number = next(self._numbers)
        self._pending[number] = release
        try:
            self._queue.add(stream, number)
        except gpustream.Error:
            self._pending.pop(number)
            raise
        except BaseException:  # Ctrl-C, perhaps after the queue has taken it: of two entries the second one finds nothing
            self._queue.add(stream, number)
            raise

    def _run(self, queue: gpustream.Queue) -> None:
        while True:
            for entry in queue.wait():
                release = self._pending.pop(entry.token, None)
                if release:
                    release()


class Arrivals(list[Any]):
    """A list of arrays. Taking one out, by its index, makes the calling thread's current stream wait for all of them."""

    def __init__(self, arrays: Sequence[Any], lease: Lease, offsets: Sequence[int], releaser: Releaser) -> None:
        super().__init__(arrays)
        self._lease: Lease | None = lease
        self._offsets = offsets
        self._device = lease.device  # None: whichever is current
        self._releaser = releaser
        self._lock = threading.Lock()
        self._copied: gpustream.Event | None = None
        self._refusal = ""

    @overload
    def __getitem__(self, index: SupportsIndex) -> Any: ...
    @overload
    def __getitem__(self, index: slice) -> list[Any]: ...
    def __getitem__(self, index: Any) -> Any:
        """Raises gpustream.AbortedError: the transfer was aborted, or a copy has failed before. PeerLostError: the source's process is
        gone. What a copy raises."""
        self.arrive(gpustream.current_stream(self._device))
        return super().__getitem__(index)

    def arrive(self, stream: gpustream.Stream) -> None:
        """Later work of the stream comes after the copies, which come after the source's work."""
        with self._lock:
            if self._refusal:
                raise fail(Status.ABORTED, self._refusal)
            if self._copied is None:
                self._copy(stream)
            else:
                stream.wait_event(self._copied)

    def abort(self) -> None:
        """Arrays that are still to be taken out never come. Copies that were submitted go on."""
        with self._lock:
            if self._copied is None:
                self._refusal = "the transfer was aborted"
                self._end()

    def _copy(self, stream: gpustream.Stream) -> None:
        lease = self._lease
        assert lease is not None
        lease.order(stream)
        self._lease = None
        try:
            for index, (item, offset) in enumerate(zip(list(self), self._offsets, strict=True)):
                if isinstance(item, Coming):
                    item = item.allocate(stream)
                    self[index] = item
                if item.nbytes:
                    gpustream._memcpy_async(_buffers.address_of(item), lease.address + offset, item.nbytes, stream)
            self._copied = stream.record_event()
        except BaseException:
            self._refusal = "a copy has failed before"
            raise
        finally:  # what was submitted before a failure still reads and writes
            self._releaser.add(stream, functools.partial(_end_lease, lease, list(self)))

    def _end(self) -> None:
        if self._lease is not None:
            self._lease.release()
            self._lease = None


def _end_lease(lease: Lease, arrays: list[Any]) -> None:
    """The copies are over. Until now they may have been writing to the arrays, also where one of them failed."""
    lease.release()


class Coming:
    """A buffer of a GPU that is allocated on the stream that takes it out."""

    def __init__(self, size: int) -> None:
        self._size = size

    def allocate(self, stream: gpustream.Stream) -> gpustream.Buffer:
        whole = gpustream.Buffer(max(self._size, 1), stream=stream)
        return whole if self._size else whole[:0]


def empty_like(meta: Sequence[tuple[Any, Any]]) -> list[Any]:
    """By (shape, type); the type of a buffer is a name."""
    return [Coming(*shape) if isinstance(dtype, str) else numpy.empty(shape, dtype) for shape, dtype in meta]
