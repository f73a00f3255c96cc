# SPDX-License-Identifier: Apache-2.0
"""What must happen once, whichever thread comes first. No interpreter promises that two instructions of Python are one step:
one with a GIL may switch between them, one without runs them at once.
"""
from __future__ import annotations

from _thread import RLock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

lock = RLock()  # for a few instructions at a time; a finalizer may come in between


def take(thing: object, name: str, nothing: Any) -> Any:
    """Takes what an attribute refers to and leaves `nothing`. Of two threads that end an object one gets its handle."""
    with lock:
        taken = getattr(thing, name)
        setattr(thing, name, nothing)
    return taken


def after_fork() -> None:
    """In the child, whose other threads are gone."""
    global lock
    lock = RLock()
