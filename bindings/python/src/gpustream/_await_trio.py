# SPDX-License-Identifier: Apache-2.0
"""Awaiting in trio. Imported when trio runs."""
from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import outcome
import trio

from gpustream._await import CAPACITY, failure_of
from gpustream._queue import Completion, Queue

if TYPE_CHECKING:
    from gpustream import generic


class _Waits:
    """What the tasks of one trio.run() await."""

    __slots__ = ("queue", "tasks", "tokens")

    def __init__(self) -> None:
        self.queue = Queue(CAPACITY)
        self.tasks: dict[int, trio.lowlevel.Task] = {}
        self.tokens = itertools.count()

    async def serve(self) -> None:
        """A system task, which ends with the run."""
        try:
            while True:
                await trio.lowlevel.wait_readable(self.queue.fileno())
                for entry in self.queue.poll():
                    task = self.tasks.pop(entry.token, None)
                    if task is not None:
                        trio.lowlevel.reschedule(task, outcome.Value(entry))
        finally:
            self.queue.close()


_of_run: trio.lowlevel.RunVar[_Waits] = trio.lowlevel.RunVar("gpustream waits")


def _waits() -> _Waits:
    try:
        return _of_run.get()
    except LookupError:
        waits = _Waits()
        _of_run.set(waits)
        trio.lowlevel.spawn_system_task(waits.serve, name="gpustream.waits")
        return waits


async def until_done(thing: generic.Stream | generic.Event) -> None:
    await trio.lowlevel.checkpoint_if_cancelled()
    if thing.query():
        await trio.lowlevel.cancel_shielded_checkpoint()
        return
    waits = _waits()
    token = next(waits.tokens)
    waits.queue.add(thing, token)
    waits.tasks[token] = trio.lowlevel.current_task()

    def abort(raise_cancel: Any) -> trio.lowlevel.Abort:
        del waits.tasks[token]
        waits.queue.cancel(token)
        return trio.lowlevel.Abort.SUCCEEDED

    entry: Completion = await trio.lowlevel.wait_task_rescheduled(abort)
    error = failure_of(thing, entry)
    if error is not None:
        raise error
