# SPDX-License-Identifier: Apache-2.0
"""Adds what is written in Python to the extension's classes.

A class derived in Python would be known to the garbage collector, and each object would cost more. So the classes are
the extension's own, and their attributes that are not hot come from here. To type checkers the class statement is an
ordinary subclass.
"""
from __future__ import annotations

from _thread import get_ident

from gpustream import _later
from gpustream._load import _core
from gpustream.errors import BadForkError, Error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType
    from typing import Any, NoReturn, ParamSpec, Protocol, SupportsIndex, TypeVar

    from gpustream._stream_flags import StreamFlags
    from gpustream.generic import Event, Stream

    _P = ParamSpec("_P")
    _T = TypeVar("_T")
    _Class = TypeVar("_Class", bound=type)

    class _HasHandle(Protocol):
        @property
        def handle(self) -> int: ...

    _Object = TypeVar("_Object", bound=_HasHandle)

_NOT_MOVED = {"__dict__", "__weakref__", "__module__", "__qualname__", "__slots__", "__annotations__", "__annotate_func__",
              "__firstlineno__", "__static_attributes__"}


class Owner:
    """Owns something of this process, which a copy would end with it and another process does not have: refuses copy and pickle."""

    __slots__ = ()
    _what = "it owns an object of this process's driver"
    _way_out = "create another one"

    def __reduce_ex__(self, protocol: SupportsIndex) -> NoReturn:
        raise TypeError(f"cannot pickle or copy '{type(self).__name__}' objects: {self._what}; {self._way_out}")


def extend(source: _Class) -> _Class:
    """Class decorator: moves the members, and those of Owner, to the class that this one derives from first, and returns that one."""
    target: Any = source.__bases__[0]
    members = {**vars(Owner), **vars(source)} if Owner in source.__bases__ else vars(source)
    for name, value in members.items():
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


def set_stream_name(self: Stream, name: str | None) -> None:
    """Set the name that errors and reports of the checker show; the first 63 bytes count. None removes the name.

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
    """Set the name that errors and reports of the checker show; the first 63 bytes count. None removes the name.

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


class Block:
    """A `with` block of its thread, or a decorator, which ends in order with those of streams and devices. Leaving it in another order, or on
    another thread, raises ScopeError and changes nothing; in a forked child it is silent."""

    def __init__(self) -> None:
        self._open: list[tuple[int, int, int]] = []  # of each block: its scope, its thread, what _begin() returned

    def _begin(self) -> int:
        raise NotImplementedError

    def _end(self, begun: int, exc_type: type[BaseException] | None) -> None:
        raise NotImplementedError

    def __call__(self, function: Callable[_P, _T]) -> Callable[_P, _T]:
        from functools import wraps

        @wraps(function)
        def inside(*args: _P.args, **kwargs: _P.kwargs) -> _T:
            with self:
                return function(*args, **kwargs)

        return inside

    def __enter__(self) -> None:
        begun = self._begin()
        self._open.append((_core.scope_begin(), get_ident(), begun))

    def __exit__(self, exc_type: type[BaseException] | None, exc_value: BaseException | None, traceback: TracebackType | None) -> None:
        here = get_ident()
        block = next((one for one in reversed(self._open) if one[1] == here), self._open[-1] if self._open else (0, 0, 0))
        _core.scope_end(block[0], f"{type(self).__name__}()", block[1])
        self._open.remove(block)
        try:
            self._end(block[2], exc_type)
        except BadForkError:
            pass  # a forked child has nothing to go back to
