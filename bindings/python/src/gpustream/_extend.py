# SPDX-License-Identifier: Apache-2.0
"""Adds what is written in Python to the extension's classes.

A class derived in Python would be known to the garbage collector, and each object would cost more. So the classes are
the extension's own, and their attributes that are not hot come from here. To type checkers the class statement is an
ordinary subclass.
"""
from __future__ import annotations

from gpustream import _later
from gpustream._load import _core
from gpustream.errors import Error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Protocol, TypeVar

    from gpustream._stream_flags import StreamFlags
    from gpustream.generic import Event, Stream

    _Class = TypeVar("_Class", bound=type)

    class _HasHandle(Protocol):
        @property
        def handle(self) -> int: ...

    _Object = TypeVar("_Object", bound=_HasHandle)

_NOT_MOVED = {"__dict__", "__weakref__", "__module__", "__qualname__", "__slots__", "__annotations__", "__annotate_func__",
              "__firstlineno__", "__static_attributes__"}


def extend(source: _Class) -> _Class:
    """Class decorator: moves the members to the class that this one derives from first, and returns that one."""
    target: Any = source.__bases__[0]
    for name, value in vars(source).items():
        if name not in _NOT_MOVED:
            setattr(target, name, value)
    return target  # type: ignore[no-any-return]


def never_raises(show: Callable[[_Object], str]) -> Callable[[_Object], str]:
    """Decorator for __repr__: tracebacks and debuggers show objects in any state."""

    def __repr__(self: _Object) -> str:
        try:
            return show(self)
        except Error as error:
            status = getattr(error.status, "name", error.status)  # a number where the library is newer
            state = f"unusable: {status}" if self.handle else "closed"
            return f"<gpustream.{type(self).__name__} {state}>"

    return __repr__


def not_copyable(thing: object, kind: str, way_out: str) -> TypeError:
    """What __reduce_ex__ raises for objects that can be neither copied nor pickled."""
    return TypeError(f"cannot pickle or copy '{type(thing).__name__}' objects: {kind}; {way_out}")


def set_stream_name(self: Stream, name: str | None) -> None:
    """Set the name that errors and reports of the checker show; the first 63 bytes count. None: no name.

    Raises TypeError: it is no str. See gs_stream_set_name() in gpustream.h.
    """
    _core.gs_stream_set_name(self, name)


def explain_stream(self: Stream) -> str:
    """Why the stream is not done: what it waits for, and where that leads, as text for people.

    A line with the way from the stream down to what nothing else holds up, and below it the stream's last operations if
    GPUSTREAM_LOG keeps them: what check.dump() writes about this stream. No driver is asked. Does not block. See
    gs_explain_wait() in gpustream.h.
    """
    text, needed = _core.gs_explain_wait(self, 1024)
    while needed > len(text.encode()) + 1:
        text, needed = _core.gs_explain_wait(self, needed)
    return text  # type: ignore[no-any-return]


def set_event_name(self: Event, name: str | None) -> None:
    """Set the name that errors and reports of the checker show; the first 63 bytes count. None: no name.

    Raises TypeError: it is no str. See gs_event_set_name() in gpustream.h.
    """
    _core.gs_event_set_name(self, name)


def _flags(self: Stream) -> StreamFlags:
    """What kind of stream it is (StreamFlags): BLOCKING for every one that joins the default stream's order."""
    return _later.load("_stream_flags").StreamFlags(self._flags)  # type: ignore[no-any-return]


def _is_default(self: Stream) -> bool:
    """Whether this is its device's default stream, under any of the driver's names for it (bool)."""
    return _core.gs_stream_id(self) == 0


def _is_per_thread(self: Stream) -> bool:
    """Whether this is a per-thread default stream, which is another stream on each thread (bool)."""
    return _core.gs_stream_id(self) == 2


stream_kind = (property(_flags), property(_is_default), property(_is_per_thread))
