# SPDX-License-Identifier: Apache-2.0
"""What happens at exit and after a fork.

Callbacks need a thread and modules that take long to import, so gpustream._callbacks is imported at the first one. Exit
and fork must not be missed, so they are known here, from the import of the package on.
"""
from __future__ import annotations

import atexit
import os
import sys

from gpustream._load import _core

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

exiting = False


def _callbacks() -> Any:
    """The module, if there was a callback."""
    return sys.modules.get("gpustream._callbacks")


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
