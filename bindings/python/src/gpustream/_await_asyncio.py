# SPDX-License-Identifier: Apache-2.0
"""Awaiting in asyncio, on any loop that has add_reader() (asyncio's own, uvloop)."""
from __future__ import annotations

import itertools
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from gpustream._await import CAPACITY, failure_of
from gpustream._queue import Completion, Queue

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Generator
    from typing import Any

    from gpustream import generic


class _Waits:
    """What the tasks of one loop await. The loop keeps this object, which does not keep the loop."""

    __slots__ = ("__weakref__", "_futures", "_queue", "_tokens")

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._queue = Queue(CAPACITY)
        self._futures: dict[int, asyncio.Future[Completion]] = {}
        self._tokens = itertools.count()
        loop.add_reader(self._queue.fileno(), self._deliver)

    def until_done(self, loop: asyncio.AbstractEventLoop, thing: generic.Stream | generic.Event) -> Generator[Any, Any, None]:
        token = next(self._tokens)
        future = loop.create_future()
        self._queue.add(thing, token)
        self._futures[token] = future
        try:
            entry: Completion = yield from future
        finally:
            # A task that was cancelled, or a coroutine that was dropped, has not had its entry.
            if self._futures.pop(token, None):
                self._queue.cancel(token)
        error = failure_of(thing, entry)
        if error is not None:
            raise error

    def _deliver(self) -> None:
        for entry in self._queue.poll():
            future = self._futures.get(entry.token)
            if future is not None and not future.done():
                del self._futures[entry.token]
                future.set_result(entry)


_of_loop: WeakKeyDictionary[asyncio.AbstractEventLoop, _Waits] = WeakKeyDictionary()


def waits_of(loop: asyncio.AbstractEventLoop) -> _Waits:
    found = _of_loop.get(loop)
    if found is None:
        found = _of_loop[loop] = _Waits(loop)
    return found
