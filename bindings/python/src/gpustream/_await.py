# SPDX-License-Identifier: Apache-2.0
"""`await stream` and `await event`, in asyncio (on any loop), trio and what runs on them (anyio).

Each loop has one queue, whose descriptor it watches. No thread but the library's looks for completions.
"""
from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from gpustream import _later
from gpustream._load import _core
from gpustream._queue import Completion
from gpustream.errors import Error, fail

if TYPE_CHECKING:
    from collections.abc import Generator
    from typing import Any

    from gpustream import generic

CAPACITY = 2**32 - 1  # of a loop's queue: how many awaits there may be is not ours to say


def until_done(thing: generic.Stream | generic.Event) -> Generator[Any, Any, None]:
    """__await__() of streams and events."""
    if in_trio():
        yield from _later.load("_await_trio").until_done(thing).__await__()
        return
    asyncio = sys.modules.get("asyncio")
    loop = asyncio._get_running_loop() if asyncio else None
    if loop is None:
        raise fail(_core.GS_ERROR_NOT_SUPPORTED, "streams and events are awaited in a running asyncio or trio loop only")
    if thing.query():
        return
    yield from _later.load("_await_asyncio").waits_of(loop).until_done(loop, thing)


def in_trio() -> bool:
    """Whether the caller is in a task of trio."""
    trio = sys.modules.get("trio")
    if trio is None:
        return False
    try:
        trio.lowlevel.current_task()
    except RuntimeError:
        return False
    return True


def failure_of(thing: generic.Stream | generic.Event, entry: Completion) -> Error | None:
    """How awaited work failed, in the driver's own words if it says them again."""
    error = entry.error
    if error is not None:
        try:
            thing.query()
        except Error as again:
            return again
    return error
