# SPDX-License-Identifier: Apache-2.0
"""The one Python function that the library calls, on any thread: for the checker's reports, and for a trace's operations."""
from __future__ import annotations

import atexit
import ctypes
from typing import TYPE_CHECKING

from gpustream import _owned

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


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
