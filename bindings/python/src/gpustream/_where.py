# SPDX-License-Identifier: Apache-2.0
"""Lines of Python: who called, and where waits were forbidden, for the texts of SyncForbiddenError."""
from __future__ import annotations

import os
import sys
from _thread import _local as local  # threading itself makes the import slow

mode = "an unknown place"  # of the last set_sync_debug_mode()


def line(depth: int) -> str:
    """Where the function that many calls out is, as "train.py:12"."""
    frame = sys._getframe(depth + 1)
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"


def warning_level() -> int:
    """The stacklevel by which the caller's warning has the line that called the package."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__package__") == "gpustream":
        level, frame = level + 1, frame.f_back
    return level


class Forbidding(local):
    """The blocks of one thread that forbid waits."""

    open = 0
    place = "an unknown place"  # of the last one that began
    before = 0  # what held before the first


forbidding = Forbidding()


def calling_line(depth: int) -> str:
    """File, line and function of a caller: 0 is the function that asks."""
    frame = sys._getframe(depth + 1)
    return f"{os.path.basename(frame.f_code.co_filename)}:{frame.f_lineno} in {frame.f_code.co_name}"
