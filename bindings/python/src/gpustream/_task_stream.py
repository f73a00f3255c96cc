# SPDX-License-Identifier: Apache-2.0
"""A current stream for each task, and current streams that are carried to another thread.

The current stream belongs to the thread, which the tasks of a loop share. A task that has a stream of its own enters it at
the begin of each of its steps and leaves it at the end: whatever runs in between sees what the thread has.
"""
from __future__ import annotations

import sys
import threading
import types
from contextvars import ContextVar
from typing import TYPE_CHECKING, TypeVar

from gpustream._load import _core
from gpustream.errors import ScopeError, fail
from gpustream.interop import as_stream

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Awaitable, Callable, Coroutine, Generator
    from contextvars import Token
    from types import TracebackType
    from typing import Any, ParamSpec

    from gpustream import generic
    from gpustream._types import StreamLike

    _P = ParamSpec("_P")

_T = TypeVar("_T")

_variable: ContextVar[generic.Stream | None] = ContextVar("gpustream.task_stream", default=None)


class _Thread(threading.local):
    """The tasks whose steps are under way on the thread; more than one where a task begins inside another one's step."""

    def __init__(self) -> None:
        self.tasks: list[_Task] = []


_thread = _Thread()


class _Task:
    """A coroutine whose steps have a current stream of their own."""

    __slots__ = ("_context", "_outer", "runs")

    def __init__(self) -> None:
        self._context: _core.StreamContext | None = None
        self._outer = 0  # how many scopes of the thread are not the step's
        self.runs = False

    def enter(self) -> None:
        self._push(_variable.get())
        _thread.tasks.append(self)
        self.runs = True

    def leave(self) -> None:
        """Raises ScopeError: blocks of streams that the step began have not ended, and the step goes on."""
        self._pop()
        self.runs = False
        _thread.tasks.pop()

    def end(self) -> None:
        """The task is over, and with it what its step has begun and not ended."""
        if self.runs:
            self.runs = False
            _thread.tasks.remove(self)
            _core.unwind_scopes(self._outer)

    def switch(self, stream: generic.Stream | None) -> None:
        self._pop()
        self._push(stream)

    def _push(self, stream: generic.Stream | None) -> None:
        self._outer = _core.open_scopes()
        if stream is not None:
            context = _core.StreamContext(stream)
            context.__enter__()
            self._context = context

    def _pop(self) -> None:
        if self._context is not None:
            self._context.__exit__(None, None, None)
            self._context = None
        elif _core.open_scopes() > self._outer:
            raise fail(_core.GS_ERROR_SCOPE, "a `with stream:` that this step of the task began has not ended")


@types.coroutine
def _in_steps(coroutine: Coroutine[Any, Any, _T]) -> Generator[Any, Any, _T]:
    task = _Task()
    resume: Callable[[Any], Any] = coroutine.send
    value: Any = None
    try:
        while True:
            if not task.runs:
                task.enter()
            try:
                awaited = resume(value)
            except StopIteration as done:
                task.leave()
                return done.value  # type: ignore[no-any-return]
            try:
                task.leave()
            except ScopeError:
                # Thrown in at the await, so that the blocks there end in order.
                resume, value = coroutine.throw, fail(
                    _core.GS_ERROR_SCOPE, "a task awaited inside `with stream:`, which changes the thread's current stream; "
                    "use `with gpustream.task_stream(stream):`")
                continue
            try:
                value = yield awaited
                resume = coroutine.send
            except GeneratorExit:
                task.enter()
                coroutine.close()
                task.leave()
                raise
            except BaseException as error:
                resume, value = coroutine.throw, error
    finally:
        task.end()


async def _awaiting(awaitable: Awaitable[_T]) -> _T:
    return await awaitable


async def _run(coroutine: Coroutine[Any, Any, _T]) -> _T:
    return await _in_steps(coroutine)


class _Scope:
    __slots__ = ("_context", "_stream", "_task", "_token")

    _token: Token[generic.Stream | None]

    def __init__(self, stream: generic.Stream) -> None:
        self._stream = stream
        self._task: _Task | None = None
        self._context: _core.StreamContext | None = None

    def __enter__(self) -> generic.Stream:
        tasks = _thread.tasks
        if tasks:
            self._task = tasks[-1]
            self._task.switch(self._stream)
        else:
            if _in_task():
                raise fail(_core.GS_ERROR_NOT_PERMITTED, "this task does not switch streams: begin it with "
                           "gpustream.task_stream.run(), or call gpustream.task_stream.install() before it is created")
            self._context = _core.StreamContext(self._stream)
            self._context.__enter__()
        self._token = _variable.set(self._stream)
        return self._stream

    def __exit__(self, exc_type: type[BaseException] | None, exc_value: BaseException | None, traceback: TracebackType | None) -> None:
        if self._context is not None:
            self._context.__exit__(exc_type, exc_value, traceback)
            _variable.reset(self._token)
        elif self._task is not None:
            _variable.reset(self._token)
            self._task.switch(_variable.get())


def _in_task() -> bool:
    """Whether the caller is in a task of asyncio or trio."""
    asyncio = sys.modules.get("asyncio")
    if asyncio is not None and asyncio._get_running_loop() is not None:
        return asyncio.current_task() is not None
    trio = sys.modules.get("trio")
    if trio is None:
        return False
    try:
        trio.lowlevel.current_task()
    except RuntimeError:
        return False
    return True


class TaskStream:
    """gpustream.task_stream: the current stream of a task, and of the tasks that it begins.

    `with gpustream.task_stream(stream):` makes a stream current in the block, also after each await in it, and in no other task. It
    is a context variable: tasks begun in the block have the stream, too, and so has a function given to
    asyncio.to_thread() that enters `with gpustream.task_stream(gpustream.task_stream.get()):`.

    Only tasks that switch can use it: those begun by run(), and, after install(), those of a loop. Outside of tasks it is
    `with stream:`, and sets the variable.
    """

    __slots__ = ()

    def __call__(self, stream: StreamLike) -> _Scope:
        """The context manager.

        Entering it raises:
            gpustream.NotPermittedError: in a task that does not switch.
            gpustream.ScopeError: inside a `with stream:` of the same step, which is to end first.
            TypeError: it is not a stream.
        """
        return _Scope(as_stream(stream))

    def get(self) -> generic.Stream | None:
        """The stream of the innermost block, or None."""
        return _variable.get()

    def run(self, awaitable: Awaitable[_T]) -> Coroutine[Any, Any, _T]:
        """A coroutine that awaits something and switches: `asyncio.run(gpustream.task_stream.run(main()))`, also in trio.

        An await inside `with stream:` then raises ScopeError instead of leaving the stream current in other tasks.
        """
        return _run(_awaiting(awaitable))

    def install(self, loop: asyncio.AbstractEventLoop | None = None) -> None:
        """Have the tasks switch that an asyncio loop creates from now on. Keeps the loop's task factory, if it has one.

        Args:
            loop: None: the running one.

        Raises RuntimeError: no loop is running.
        """
        import asyncio

        loop = loop or asyncio.get_running_loop()
        before: Any = loop.get_task_factory()
        if getattr(before, "_gpustream", False):
            return

        def factory(loop: asyncio.AbstractEventLoop, coroutine: Coroutine[Any, Any, Any], **options: Any) -> Any:
            switching = _run(coroutine)
            return before(loop, switching, **options) if before else asyncio.Task(switching, loop=loop, **options)

        made: Any = factory
        made._gpustream = True
        loop.set_task_factory(made)

    def __repr__(self) -> str:
        return f"<gpustream.task_stream {self.get()}>"


task_stream = TaskStream()


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
