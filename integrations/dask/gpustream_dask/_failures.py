# SPDX-License-Identifier: Apache-2.0
"""What arrives in the place of a result that failed, was refused, or cannot be read.

A client raises the error where it reads the message. A worker that did so would wait for the result without end: Dask does not
report a message that cannot be read. So there the error is a value, which the tasks that depend on it raise.
"""
from __future__ import annotations

import contextlib
import contextvars
import functools
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

import gpustream

_kept: contextvars.ContextVar[bool] = contextvars.ContextVar("gpustream_dask_kept", default=False)


@contextlib.contextmanager
def kept_as_values() -> Iterator[None]:
    """Within it a worker reads results of others."""
    before = _kept.set(True)
    try:
        yield
    finally:
        _kept.reset(before)


class Failure:
    """In the place of a result."""

    __slots__ = ("error",)

    def __init__(self, error: gpustream.Error) -> None:
        self.error = error

    def raise_(self) -> NoReturn:
        raise gpustream.errors.fail(self.error.status, str(self.error))

    def __reduce__(self) -> Any:
        return _arrived, (self.error.status, str(self.error))


def _arrived(status: int, text: str) -> Failure:
    failure = Failure(gpustream.errors.fail(status, text))
    if not _kept.get():
        failure.raise_()
    return failure


def keeps(load: Callable[..., Any]) -> Callable[..., Any]:
    """A function that reads messages, whose gpustream.Error is a value where a worker reads."""

    @functools.wraps(load)
    def loads(*arguments: Any) -> Any:
        try:
            return load(*arguments)
        except gpustream.Error as error:
            if _kept.get():
                return Failure(error)
            raise

    return loads
