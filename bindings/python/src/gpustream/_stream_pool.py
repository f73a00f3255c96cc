# SPDX-License-Identifier: Apache-2.0
"""A fixed number of streams that a program's parts share on purpose."""
from __future__ import annotations

import itertools

from gpustream._devices import number_of, ordinal
from gpustream._extend import Owner
from gpustream._load import _core
from gpustream._stream import Stream

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Literal, SupportsIndex

    from gpustream._types import DeviceLike


class StreamPool(Owner):
    """A fixed number of streams of one device, given out by their index or in turn.

    For work that is spread over a few streams, more often than there are streams: pool[i] is the same stream for the same i, and
    get() the next one in turn, which another part of the program may have, too. Streams of their own come from Stream().

    Args:
        size: how many streams, at least 1. They are made here.
        device: a device; None or any negative number: the current one.
        priority: as for Stream.

    Raises:
        ValueError: size is below 1.
        TypeError, OverflowError: size or priority is no int, or out of range.
        gpustream.InvalidDeviceError: there is no such device.

    Threads may share a pool.
    """

    __slots__ = ("_streams", "_turns")

    def __init__(self, size: SupportsIndex, device: DeviceLike = None, priority: SupportsIndex | Literal["high", "normal", "low"] = 0) -> None:
        count = ordinal(size, "size")
        if count < 1:
            raise ValueError(f"StreamPool(): size must be at least 1, not {count}")
        _core.start()
        where = number_of(device)
        self._streams = [Stream(where, priority=priority) for _ in range(count)]
        self._turns = itertools.count()

    def get(self) -> Stream:
        """Return the next stream in turn."""
        return self._streams[next(self._turns) % len(self._streams)]

    def __getitem__(self, index: SupportsIndex) -> Stream:
        """The stream of that index: any int, modulo the size."""
        return self._streams[ordinal(index, "index") % len(self._streams)]

    def __len__(self) -> int:
        return len(self._streams)

    def __iter__(self) -> Iterator[Stream]:
        return iter(tuple(self._streams))

    def __repr__(self) -> str:
        return f"<gpustream.StreamPool of {len(self)} streams on {self._streams[0].device}>"
