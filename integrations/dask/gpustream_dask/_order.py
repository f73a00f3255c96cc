# SPDX-License-Identifier: Apache-2.0
"""Which event stands behind the result of which task, and the stream of each task thread."""
from __future__ import annotations

import threading
from collections.abc import Awaitable, Iterable, Mapping
from typing import Any

import gpustream
from dask._task_spec import DataNode, GraphNode, Task

from gpustream_dask import _buffers
from gpustream_dask._failures import Failure, kept_as_values, may_be_there


class Order:
    """The streams of one worker's task threads, and the events behind each result that the worker holds.

    A task's events are recorded on its thread when its function has returned: of its stream, and of the streams of buffers that
    it returns. Those of a released result may go: the work that still uses the value has waited for them already.
    """

    def __init__(self, device: int | None, priority: int) -> None:
        self.device = device
        self.priority = priority
        self._threads = threading.local()
        self._lock = threading.Lock()
        self._events: dict[Any, tuple[gpustream.Event, ...]] = {}  # by the task's key

    def stream(self) -> gpustream.Stream:
        """The calling thread's stream: created at its first task, and after work of a task has failed on it."""
        stream: gpustream.Stream | None = getattr(self._threads, "stream", None)
        if stream is None or _has_failed(stream):
            stream = self._threads.stream = gpustream.Stream(self.device, priority=self.priority)
        return stream

    def begin(self, stream: gpustream.Stream, keys: Iterable[Any], values: dict[Any, Any]) -> dict[Any, Any]:
        """Later work of the stream starts after that of the tasks with these keys. Returns the values for the stream's use.

        Raises the gpustream.Error of a result that could not be sent or read.
        """
        raise_failures(values)
        for key in keys:
            for event in self._behind(key, values):
                stream.wait_event(event)
        return {key: _buffers.give(value, stream) for key, value in values.items()}

    def end(self, stream: gpustream.Stream | None, key: Any, result: Any) -> None:
        """The task's work, and so its result, is done when the stream's work so far is, and that of the result's buffers."""
        streams = _buffers.streams_of(result, other_than=stream)
        events = tuple(each.record_event() for each in ([] if stream is None else [stream]) + streams)
        with self._lock:
            self._events[key] = events

    def forget(self, key: Any) -> None:
        with self._lock:
            self._events.pop(key, None)

    def count(self) -> int:
        """How many results have an event."""
        with self._lock:
            return len(self._events)

    async def done(self, keys: Iterable[Any], values: Mapping[Any, Any]) -> None:
        """Waits, without a thread, until the results of these tasks are complete.

        Raises the gpustream.Error of work that failed.
        """
        for error in (await self.failures(keys, values)).values():
            raise error

    async def failures(self, keys: Iterable[Any], values: Mapping[Any, Any]) -> dict[Any, gpustream.Error]:
        """Waits likewise; the work of these tasks failed."""
        failed = {}
        for key in keys:
            for event in self._behind(key, values):
                try:
                    await event
                except gpustream.Error as error:
                    failed[key] = error
        return failed

    def recorded(self, key: Any) -> tuple[gpustream.Event, ...] | None:
        """The events behind a result of this worker's tasks; None for others."""
        with self._lock:
            return self._events.get(key)

    def _behind(self, key: Any, values: Mapping[Any, Any]) -> Iterable[gpustream.Event]:
        events = self.recorded(key)
        if events is None and key in values:  # received, or put here by a task that its buffers' streams may still fill
            return [stream.record_event() for stream in _buffers.streams_of(values[key])]
        return events or ()


def raise_failures(values: Mapping[Any, Any]) -> None:
    """Raises what has arrived in the place of a value."""
    for value in values.values():
        for failure in _buffers.find(value, Failure):
            failure.raise_()


def _raise_failures_in(spec: Any) -> None:
    """Raises what has arrived in the place of an argument."""
    rest, seen = [spec], set()
    while rest:
        each = rest.pop()
        if isinstance(each, Failure):
            each.raise_()
        if id(each) in seen:
            continue
        seen.add(id(each))
        if isinstance(each, Task):
            rest.extend((*each.args, *each.kwargs.values()))
        elif isinstance(each, DataNode):
            rest.append(each.value)
        elif isinstance(each, dict):
            rest.extend(each.values())
        elif isinstance(each, (list, tuple, set, frozenset)) and not isinstance(each, GraphNode):
            rest.extend(each)


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
        if may_be_there():
            _raise_failures_in(self._spec)
        if self._spec.is_coro:  # it runs in the event loop, which has no stream of its own
            return self._awaiting(self._spec, values)
        stream, result = self._order.stream(), None
        with stream:
            given = self._order.begin(stream, self._dependencies, values)
            try:
                with kept_as_values(False):
                    result = self._spec(given)
                return result
            finally:
                # Also after a failure: a retry on another thread may write where this one's work still does.
                self._order.end(stream, self._key, result)

    async def _awaiting(self, spec: Any, values: dict[Any, Any]) -> Any:
        raise_failures(values)
        await self._order.done(self._dependencies, values)
        with kept_as_values(False):
            awaited: Awaitable[Any] = spec(values)
            result = await awaited
        self._order.end(None, self._key, result)
        return result

    def __getattr__(self, name: str) -> Any:
        return getattr(self._spec, name)

    def __reduce__(self) -> Any:
        return _itself, (self._spec,)


def _itself(spec: Any) -> Any:
    return spec
