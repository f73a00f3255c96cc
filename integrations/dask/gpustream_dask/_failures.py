# SPDX-License-Identifier: Apache-2.0
"""What arrives in the place of a value that failed, was refused, or cannot be read.

A client raises the error where it reads the message. A worker must not. Of a result that it cannot read it would wait without end,
since Dask does not report that. Of an argument, which is a part of the scheduler's messages, it would lose its connection to the
scheduler and end, with its nanny. So there the error is a value, which the tasks that get it raise.
"""
from __future__ import annotations

import contextlib
import contextvars
import functools
import threading
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

import gpustream

# Whether what is being read is for Dask (True) or for a task's own code (False). Else the process decides.
_kept: contextvars.ContextVar[bool | None] = contextvars.ContextVar("gpustream_dask_kept", default=None)


class _Process:
    """What is known of this process."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.workers = 0  # with the plugin, which read messages
        self.failures = False  # whether a value has ever been kept as one


_process = _Process()


def worker_begins(count: int = 1) -> None:
    """What this process reads from now on is read by a worker with the plugin, except by the code of its tasks."""
    with _process.lock:
        _process.workers += count


def worker_ends() -> None:
    worker_begins(-1)


@contextlib.contextmanager
def kept_as_values(kept: bool = True) -> Iterator[None]:
    """Within it a worker reads results of others; with False, a task's own client reads them."""
    before = _kept.set(kept)
    try:
        yield
    finally:
        _kept.reset(before)


def _keeps() -> bool:
    kept = _kept.get()
    return _process.workers > 0 if kept is None else kept


def may_be_there() -> bool:
    """Whether any value of this process may be a failure."""
    return _process.failures


class Failure:
    """In the place of a value. Code that has got one, in an object that nothing looks into, finds the error when it uses it."""

    __slots__ = ("error",)

    def __init__(self, error: gpustream.Error) -> None:
        self.error = error
        _process.failures = True

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        self.raise_()

    def raise_(self) -> NoReturn:
        raise gpustream.errors.fail(self.error.status, str(self.error))

    def __reduce__(self) -> Any:
        return _arrived, (self.error.status, str(self.error))


def _arrived(status: int, text: str) -> Failure:
    failure = Failure(gpustream.errors.fail(status, text))
    if not _keeps():
        failure.raise_()
    return failure


def keeps(load: Callable[..., Any]) -> Callable[..., Any]:
    """A function that reads messages, whose gpustream.Error is a value where a worker reads."""

    @functools.wraps(load)
    def loads(*arguments: Any) -> Any:
        try:
            return load(*arguments)
        except gpustream.Error as error:
            if _keeps():
                return Failure(error)
            raise

    return loads
