# SPDX-License-Identifier: Apache-2.0
"""A current stream for each task.

The current stream belongs to the thread, which the tasks of a loop share. A task that has a stream of its own enters it at
the begin of each of its steps and leaves it at the end: whatever runs in between sees what the thread has.
"""
from __future__ import annotations

import sys
import threading
import types
from contextvars import ContextVar
from typing import TYPE_CHECKING, TypeVar

from gpustream._await import in_trio
from gpustream._load import _core
from gpustream.errors import ScopeError, fail
from gpustream.interop import as_stream

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Awaitable, Callable, Coroutine, Generator
    from types import TracebackType
    from typing import Any

    from gpustream import generic
    from gpustream._types import StreamLike

_T = TypeVar("_T")

# The innermost block. Blocks are linked, and not reset by tokens: an asynchronous generator may end its block in another context.
_variable: ContextVar[_Scope | None] = ContextVar("gpustream.task_stream", default=None)


class _Thread(threading.local):
    """The tasks whose steps are under way on the thread; more than one where a task begins inside another one's step."""

    def __init__(self) -> None:
        self.tasks: list[_Task] = []


_thread = _Thread()


def _owner() -> _Task | int:
    """Who begins a block: the task, or the thread outside of tasks that switch."""
    return _thread.tasks[-1] if _thread.tasks else threading.get_ident()


def _innermost() -> _Scope | None:
    """The block whose stream the caller has. An inherited one counts also after its end in the task that began it."""
    scope, owner = _variable.get(), _owner()
    while scope is not None and scope.ended and scope.owner == owner:
        scope = scope.outer
    return scope


class _Task:
    """A coroutine whose steps have a current stream of their own."""

    __slots__ = ("_contexts", "_outer", "_scope", "runs", "set")

    def __init__(self) -> None:
        self._contexts: list[_core.StreamContext] = []
        self._outer = 0  # how many scopes of the thread are not the step's
        self._scope: _Scope | None = None
        self.set: dict[_Scope, generic.Stream] = {}  # what set_stream() or set_device() has made current in a block
        self.runs = False

    def enter(self) -> None:
        _thread.tasks.append(self)
        try:
            self.push(_innermost())
        except BaseException:
            _thread.tasks.pop()
            raise
        self.runs = True

    def leave(self) -> None:
        """Raises ScopeError: blocks of streams that the step began have not ended, and the step goes on."""
        self.pop()
        self.runs = False
        _thread.tasks.pop()

    def end(self) -> None:
        """The task is over, and with it what its step has begun and not ended."""
        if self.runs:
            self.runs = False
            _thread.tasks.remove(self)
            _core.unwind_scopes(self._outer)

    def push(self, scope: _Scope | None) -> None:
        self._outer = _core.open_scopes()
        self._scope = scope
        try:
            for stream in () if scope is None else (scope.stream, self.set.get(scope, scope.stream)):
                context = _core.StreamContext(stream)
                context.__enter__()
                self._contexts.append(context)
        except BaseException:
            self._leave()
            raise

    def pop(self) -> None:
        if _core.open_scopes() > self._outer + len(self._contexts):
            raise fail(_core.GS_ERROR_SCOPE, "a `with stream:` that this step of the task began has not ended")
        if self._scope is not None:
            self.set[self._scope] = _core.current_stream()
        self._leave()

    def _leave(self) -> None:
        while self._contexts:
            self._contexts[-1].__exit__(None, None, None)
            self._contexts.pop()


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
                    _core.GS_ERROR_SCOPE, "a task awaited inside a block of the thread (`with stream:`, a device, a pool, a graph or a range), which other "
                    "tasks would run in; end it before, or use `with gpustream.task_stream(stream):`, which has the stream's device")
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
    """A block. The variable has the innermost one of a context."""

    __slots__ = ("_context", "ended", "outer", "owner", "stream")

    def __init__(self, stream: generic.Stream) -> None:
        self.stream = stream
        self.owner: _Task | int = 0
        self.outer: _Scope | None = None
        self.ended = True
        self._context: _core.StreamContext | None = None

    def __enter__(self) -> generic.Stream:
        tasks, outer = _thread.tasks, _innermost()
        if not self.ended:
            raise fail(_core.GS_ERROR_SCOPE, "task_stream(): the block is open already; each block calls task_stream()")
        if tasks:
            tasks[-1].pop()
            try:
                tasks[-1].push(self)
            except BaseException:
                tasks[-1].push(outer)
                raise
        elif _in_task():
            raise fail(_core.GS_ERROR_NOT_PERMITTED, "this task does not switch streams: begin it with "
                       "gpustream.task_stream.run(), or call gpustream.task_stream.install() before it is created")
        else:
            self._context = _core.StreamContext(self.stream)
            self._context.__enter__()
        self.owner, self.outer, self.ended = _owner(), outer, False
        _variable.set(self)
        return self.stream

    def __exit__(self, exc_type: type[BaseException] | None, exc_value: BaseException | None, traceback: TracebackType | None) -> None:
        owner = self.owner
        if self._context is not None:
            self._context.__exit__(exc_type, exc_value, traceback)
        elif owner != _owner():
            # An asynchronous generator that another task ends. Its own task has the outer stream from its next step on.
            self.ended = True
            if exc_type is not GeneratorExit:
                raise fail(_core.GS_ERROR_SCOPE, "task_stream(): the block ends in another task than it began in, which had not its "
                           "stream; end an asynchronous generator in its task, by contextlib.aclosing()")
            return
        elif self._is_outside(_innermost()):
            raise fail(_core.GS_ERROR_SCOPE, "task_stream(): the block ends before one inside it")
        if isinstance(owner, _Task):
            owner.pop()
            del owner.set[self]
        self.ended = True
        outer = _innermost()
        _variable.set(outer)
        if isinstance(owner, _Task):
            owner.push(outer)

    def _is_outside(self, scope: _Scope | None) -> bool:
        while scope is not None and scope is not self:
            scope = scope.outer
            if scope is self:
                return True
        return False


def _in_task() -> bool:
    """Whether the caller is in a task of asyncio or trio."""
    asyncio = sys.modules.get("asyncio")
    if asyncio is not None and asyncio._get_running_loop() is not None:
        return asyncio.current_task() is not None
    return in_trio()


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
        scope = _innermost()
        return None if scope is None else scope.stream

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
