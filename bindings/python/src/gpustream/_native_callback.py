# SPDX-License-Identifier: Apache-2.0
"""Python functions that the library calls: on any thread, for the checker's reports and a trace's operations; for long texts, at once."""
from __future__ import annotations

import atexit
import ctypes
from typing import TYPE_CHECKING

from gpustream import _owned

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_Writer = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.POINTER(ctypes.c_char), ctypes.c_size_t)


class NativeCallback:
    """What set() was given last. The library lets go of it before the interpreter ends: objects that end with it make calls, too."""

    def __init__(self, setter: Callable[[int | None, None], object], prototype: Callable[[Any], Any]) -> None:
        self._setter, self._prototype = setter, prototype
        self._made: list[Any] = []  # all of them: another thread may still be inside one

    def set(self, fn: Callable[..., object] | None) -> None:
        made = None if fn is None else self._prototype(fn)
        with _owned.lock:  # the last that the library got is the one that is kept
            if made and not self._made:
                atexit.register(self.set, None)
            self._setter(ctypes.cast(made, ctypes.c_void_p).value if made else None, None)
            self._made.append(made)


def written(write: Callable[[int, int | None, None], object], number: int) -> str:
    """The text that a function of the library writes in pieces about the object with that number."""
    pieces: list[bytes] = []

    def add(_argument: object, piece: Any, size: int) -> int:
        pieces.append(ctypes.string_at(piece, size))
        return 0

    function = _Writer(add)  # lives until the call returns
    write(number, ctypes.cast(function, ctypes.c_void_p).value, None)
    return b"".join(pieces).decode()
