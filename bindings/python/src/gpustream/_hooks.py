# SPDX-License-Identifier: Apache-2.0
"""What happens at exit, after a fork, and when a synchronizing call meets callbacks.

Callbacks need a thread and modules that take long to import, so gpustream._callbacks is imported at the first one. Exit
and fork must not be missed, so they are known here, from the import of the package on.
"""
from __future__ import annotations

import atexit
import os
import sys

from gpustream import _later, _where
from gpustream._load import _core

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

exiting = False


def _callbacks() -> Any:
    """The module, if there was a callback."""
    return sys.modules.get("gpustream._callbacks")


def wait_around(synchronize: Callable[[], object], timeout_ns: int) -> None:
    """Hook: makes a synchronizing call while callbacks are pending."""
    _callbacks().wait_around(synchronize, timeout_ns)


def long_wait(thing: Any, timeout_ns: int) -> None:
    """Hook: goes on with a synchronizing call of the main thread."""
    _later.load("_waits").long_wait(thing, timeout_ns)


def spins(backend: int) -> bool:
    """Hook: whether a backend's driver keeps the processor busy while it waits."""
    answer: bool = _later.load("_backends").special(backend).spins
    return answer


def warn_of_sync() -> None:
    """Hook: warns of a synchronizing call, with the line that called the package."""
    import warnings

    text = f"called a synchronizing {_later.load('_error_texts').special().operation}"
    warnings.warn(text, stacklevel=_where.warning_level())


def _stop() -> None:
    """While Python threads still run."""
    global exiting
    exiting = True
    callbacks = _callbacks()
    if callbacks:
        callbacks.stop()
    else:
        _core.mailbox_close()


def _after_fork() -> None:
    owned = sys.modules.get("gpustream._owned")
    if owned:
        owned.after_fork()
    callbacks = _callbacks()
    if callbacks:
        callbacks.after_fork()
    captures = sys.modules.get("gpustream._captures")
    if captures:
        captures.empty_for_fork()
    _core.mailbox_forget()


atexit.register(_stop)
os.register_at_fork(after_in_child=_after_fork)
