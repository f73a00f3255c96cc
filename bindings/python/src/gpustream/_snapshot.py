# SPDX-License-Identifier: Apache-2.0
"""Current streams that are carried to another thread."""
from __future__ import annotations

from typing import TYPE_CHECKING

from gpustream._load import _core

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType
    from typing import ParamSpec, TypeVar

    from gpustream import generic

    _P = ParamSpec("_P")
    _T = TypeVar("_T")


class Snapshot:
    """Snapshot(): the current device and the current streams of this thread, to be carried to others.

    `with snapshot:` makes them current, on any thread and any number of times, until the block ends. The streams stay open as long as
    the snapshot.

    Making one raises:
        gpustream.FullError: more than 16 other devices have a current stream that is not their default stream.

    Does not block, but for the first use of a device.
    """

    __slots__ = ("_contexts", "device", "stream")

    device: int
    stream: generic.Stream

    def __init__(self) -> None:
        _core.start()
        taken = _core.gs_current_snapshot()
        self.device = taken["device"]
        self.stream = _core.current_stream()
        handles = memoryview(taken["streams"]).cast("Q")[:taken["others"]]
        kept = [_core.current_stream(_core.borrow_stream(handle).device) for handle in handles]
        # Scopes of their own, which must end in order: gs_current_adopt() has one end for all of its scopes, which would also end
        # those that began inside.
        self._contexts = [_core.StreamContext(stream) for stream in (*kept, self.stream)]

    def __enter__(self) -> Snapshot:
        entered = []
        try:
            for context in self._contexts:
                context.__enter__()
                entered.append(context)
        except BaseException:
            for context in reversed(entered):
                context.__exit__(None, None, None)
            raise
        return self

    def __exit__(self, exc_type: type[BaseException] | None, exc_value: BaseException | None, traceback: TracebackType | None) -> None:
        for context in reversed(self._contexts):
            context.__exit__(exc_type, exc_value, traceback)

    def run(self, function: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
        """Call a function inside `with snapshot:`; for executors and threads."""
        with self:
            return function(*args, **kwargs)

    def __repr__(self) -> str:
        return f"<gpustream.Snapshot device={self.device} stream={self.stream}>"
