# SPDX-License-Identifier: Apache-2.0
"""Which event stands behind the result of which task, and the stream of each task thread."""
from __future__ import annotations

import threading
from collections.abc import Awaitable, Iterable
from typing import Any

import gpustream


class Order:
    """The streams of one worker's task threads, and an event behind each result that the worker holds.

    A task's event is recorded on its thread when its function has returned. An event of a released result may go: the work
    that still uses the value has waited for it already.
    """

    def __init__(self, device: int | None, priority: int) -> None:
        self.device = device
        self.priority = priority
        self._threads = threading.local()
        self._lock = threading.Lock()
        self._events: dict[Any, gpustream.Event] = {}  # by the task's key

    def stream(self) -> gpustream.Stream:
        """The calling thread's stream: created at its first task, and after work of a task has failed on it."""
        stream: gpustream.Stream | None = getattr(self._threads, "stream", None)
        if stream is None or _has_failed(stream):
            stream = self._threads.stream = gpustream.Stream(self.device, priority=self.priority)
        return stream

    def begin(self, stream: gpustream.Stream, keys: Iterable[Any]) -> None:
        """Later work of the stream starts after that of the tasks with these keys."""
        for event in self._of(keys):
            stream.wait_event(event)

    def end(self, stream: gpustream.Stream, key: Any) -> None:
        """The task's work, and so its result, is done when the stream's work so far is."""
        event = stream.record_event()
        with self._lock:
            self._events[key] = event

    def forget(self, key: Any) -> None:
        with self._lock:
            self._events.pop(key, None)

    def count(self) -> int:
        """How many results have an event."""
        with self._lock:
            return len(self._events)

    async def done(self, keys: Iterable[Any]) -> None:
        """Waits, without a thread, until the results of these tasks are complete.

        Raises the gpustream.Error of work that failed.
        """
        for error in (await self.failures(keys)).values():
            raise error

    async def failures(self, keys: Iterable[Any]) -> dict[Any, gpustream.Error]:
        """Waits likewise; the work of these tasks failed."""
        failed = {}
        for key in keys:
            for event in self._of((key,)):
                try:
                    await event
                except gpustream.Error as error:
                    failed[key] = error
        return failed

    def _of(self, keys: Iterable[Any]) -> list[gpustream.Event]:
        with self._lock:
            return [self._events[key] for key in keys if key in self._events]


def _has_failed(stream: gpustream.Stream) -> bool:
    try:
        stream.query()
    except gpustream.Error:
        return True
    return False


class OrderedTask:
    """A task's specification as Dask has it, to be run on the stream of the thread.

    It is called by the worker in place of the original one, whose attributes it has.
    """

    __slots__ = ("_dependencies", "_key", "_order", "_spec")

    def __init__(self, spec: Any, key: Any, dependencies: tuple[Any, ...], order: Order) -> None:
        self._spec = spec
        self._key = key
        self._dependencies = dependencies
        self._order = order

    def __call__(self, values: dict[Any, Any]) -> Any:
        if self._spec.is_coro:  # it runs in the event loop, which has no stream of its own
            return self._awaiting(self._spec, values)
        stream = self._order.stream()
        with stream:
            self._order.begin(stream, self._dependencies)
            try:
                return self._spec(values)
            finally:
                # Also after a failure: a retry on another thread may write where this one's work still does.
                self._order.end(stream, self._key)

    async def _awaiting(self, spec: Any, values: dict[Any, Any]) -> Any:
        await self._order.done(self._dependencies)
        awaited: Awaitable[Any] = spec(values)
        return await awaited

    def __getattr__(self, name: str) -> Any:
        return getattr(self._spec, name)

    def __reduce__(self) -> Any:
        return _itself, (self._spec,)


def _itself(spec: Any) -> Any:
    return spec
