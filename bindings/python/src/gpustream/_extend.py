# SPDX-License-Identifier: Apache-2.0
"""Adds what is written in Python to the extension's classes.

A class derived in Python would be known to the garbage collector, and each object would cost more. So the classes are
the extension's own, and their attributes that are not hot come from here. To type checkers the class statement is an
ordinary subclass.
"""
from __future__ import annotations

from _thread import get_ident

from gpustream._load import _core
from gpustream.errors import BadForkError, Error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType
    from typing import Any, NoReturn, ParamSpec, Protocol, SupportsIndex, TypeVar

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


def as_class(cls: Any, event: Any) -> Any:
    """An object of a class of events for what a call of the library has made."""
    return event if type(event) is cls else cls.from_handle(event.handle)


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
