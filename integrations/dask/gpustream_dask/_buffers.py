# SPDX-License-Identifier: Apache-2.0
"""gpustream.Buffer in arguments and results: found in collections, given to a task's stream, and sent with its contents.

A message has the contents, not a name of shared memory with a token. Dask computes a lost result again, and the scheduler hands
messages on to processes that it alone knows. So a result is sent when it is complete, and nothing is left to be leased or removed.
"""
from __future__ import annotations

import contextlib
import contextvars
from collections.abc import Iterator
from typing import Any, TypeVar

import gpustream
import numpy
from gpustream.errors import Status, fail

from gpustream_dask._failures import keeps

_VERSION = 1
_MEMORY = {1: "host", 2: "device", 3: "pinned"}  # by DLPack's type
_ALIGNMENT = 16  # of the largest element
_COLLECTIONS = (list, tuple, set, frozenset, dict)

# Whether what is being sent was awaited. Dask serialises large results on another thread, with the context of the request.
_awaited: contextvars.ContextVar[bool] = contextvars.ContextVar("gpustream_dask_awaited", default=False)


@contextlib.contextmanager
def sending_complete() -> Iterator[None]:
    """Within it the contents of buffers are sent as they are."""
    before = _awaited.set(True)
    try:
        yield
    finally:
        _awaited.reset(before)


_Found = TypeVar("_Found")


def find(value: Any, kind: type[_Found]) -> list[_Found]:
    """Objects of a class: the value itself, or in collections of the language. Objects of other classes are not looked into."""
    if isinstance(value, kind):
        return [value]
    found: list[_Found] = []
    rest, seen = [value], set()
    while rest:
        collection = rest.pop()
        if type(collection) not in _COLLECTIONS or id(collection) in seen:
            continue
        seen.add(id(collection))
        for each in collection.values() if type(collection) is dict else collection:
            if isinstance(each, kind):
                found.append(each)
            elif type(each) in _COLLECTIONS:
                rest.append(each)
    return found


class _Unordered:
    """A buffer as others take it without a wait."""

    def __init__(self, buffer: gpustream.Buffer) -> None:
        self._buffer = buffer

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._buffer.__dlpack_device__()

    def __dlpack__(self, **how: Any) -> object:
        return self._buffer.__dlpack__(**how | {"stream": -1})


def give(value: Any, stream: gpustream.Stream) -> Any:
    """The value with its buffers as buffers of the stream, in the same memory, which stays until that stream's work is done, too.

    Nothing is copied but the collections on the way to a buffer. The stream must wait already for what fills the memory.
    """
    return _Giving(stream)(value) if find(value, gpustream.Buffer) else value


class _Giving:
    def __init__(self, stream: gpustream.Stream) -> None:
        self._stream = stream
        self._made: dict[int, Any] = {}  # what is there twice stays one object

    def __call__(self, value: Any) -> Any:
        if type(value) not in _COLLECTIONS and not isinstance(value, gpustream.Buffer):
            return value
        if id(value) not in self._made:
            self._made[id(value)] = value  # of a collection that contains itself
            self._made[id(value)] = self._copy(value)
        return self._made[id(value)]

    def _copy(self, value: Any) -> Any:
        if isinstance(value, gpustream.Buffer):
            same = value.closed or value.stream == self._stream
            return value if same else gpustream.from_dlpack(_Unordered(value), stream=self._stream)
        if not find(value, gpustream.Buffer):
            return value
        if type(value) is dict:
            return {key: self(each) for key, each in value.items()}
        return type(value)(map(self, value))


def refusal(buffer: gpustream.Buffer) -> gpustream.Error | None:
    """Why it cannot be sent to another process."""
    return fail(Status.INVALID_HANDLE, "a buffer that was closed cannot be sent") if buffer.closed else None


def dump(buffer: gpustream.Buffer) -> tuple[dict[str, Any], list[Any]]:
    """The contents: of memory of the host without a copy; of a GPU's, copied by a stream that has nothing else to do.

    Waits for that copy, and for the buffer's stream unless the plugin has done so.

    Raises:
        gpustream.InvalidHandleError: the buffer was closed.
        The gpustream.Error of work that failed.
    """
    if (why := refusal(buffer)) is not None:
        raise why
    if not _awaited.get() and not buffer.stream.query():
        buffer.stream.synchronize()
    kind, _ = buffer.__dlpack_device__()
    header = {"version": _VERSION, "dtype": buffer.dtype, "shape": list(buffer.shape), "readonly": buffer.readonly, "memory": _MEMORY[kind]}
    if header["memory"] == "host":
        return header, [numpy.from_dlpack(_Unordered(buffer.view("uint8")))]
    return header, [_fetched(buffer)]


def _fetched(buffer: gpustream.Buffer) -> numpy.ndarray[Any, Any]:
    contents = numpy.empty(buffer.nbytes, numpy.uint8)
    if buffer.nbytes:
        copies = gpustream.Stream(buffer.device)  # one of the library's pool
        gpustream._memcpy_async(contents.ctypes.data, buffer.ptr, buffer.nbytes, copies)
        copies.synchronize()
    return contents


@keeps
def load(header: dict[str, Any], frames: list[Any]) -> gpustream.Buffer:
    """A buffer of the current stream: of the host in the message's memory, where that is writable and aligned; else a copy.

    What was a GPU's is in memory of the device that receive_on() names, or of the current one; it can be written to.

    Raises:
        gpustream.InvalidArgumentError: the message is of another version, or not of a buffer.
        gpustream.OutOfMemoryError: the device has not so much memory.
    """
    if header.get("version") != _VERSION or len(frames) != 1:
        raise fail(Status.INVALID_ARGUMENT, f"a message of a buffer has version {header.get('version')} and {len(frames)} frames; "
                   f"this package reads version {_VERSION} with 1 frame")
    with _as_invalid_argument():
        shape, dtype, readonly = tuple(map(int, header["shape"])), str(header["dtype"]), bool(header["readonly"])
        if any(extent < 0 for extent in shape):
            raise ValueError(f"its shape is {shape}")
        if header["memory"] not in _MEMORY.values():
            raise ValueError(f"its memory is {header['memory']!r}")
        memory = numpy.frombuffer(frames[0], numpy.uint8)
        if header["memory"] != "host":
            return _received(memory, header["memory"] == "pinned").view(dtype, shape)
        if memory.ctypes.data % _ALIGNMENT or not (memory.flags.writeable or readonly):
            memory = memory.copy()
        memory.flags.writeable = not readonly
        return gpustream.from_dlpack(memory).view(dtype, shape)


_device: int | None = None


def receive_on(device: int | None) -> None:
    """Buffers that were a GPU's are received on this device; None: on the current one."""
    global _device
    _device = device


def _received(memory: numpy.ndarray[Any, Any], pinned: bool) -> gpustream.Buffer:
    whole = gpustream.Buffer(max(memory.nbytes, 1), device=_device, pinned=pinned)
    return whole.copy_(memory) if memory.nbytes else whole[:0]


@contextlib.contextmanager
def _as_invalid_argument() -> Iterator[None]:
    try:
        yield
    except (KeyError, TypeError, ValueError) as error:
        raise fail(Status.INVALID_ARGUMENT, f"a message of a buffer cannot be read: {error}") from error


def size_of(buffer: gpustream.Buffer) -> int:
    """Its bytes, by which Dask decides what to move and what to write to disk."""
    return object.__sizeof__(buffer) + buffer.nbytes


def streams_of(value: Any, other_than: gpustream.Stream | None = None) -> list[gpustream.Stream]:
    """The streams of a value's buffers, each once."""
    streams: list[gpustream.Stream] = []
    for buffer in find(value, gpustream.Buffer):
        if not buffer.closed and buffer.stream != other_than and buffer.stream not in streams:
            streams.append(buffer.stream)
    return streams

