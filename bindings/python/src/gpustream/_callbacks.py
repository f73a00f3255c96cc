# SPDX-License-Identifier: Apache-2.0
"""Python functions in stream order: Stream.add_done_callback(), launch_host_func(), defer(), and those in graphs.

The library announces on a thread of its own that a function is due. That thread never waits for the GIL: it leaves a note
in a mailbox. One Python thread empties the mailbox and calls. So a thread that holds the GIL inside a driver call cannot
be what a driver's thread waits for, except for a function that holds its stream: the driver's thread then waits until it has
been called (native/host_hold.h).
"""
from __future__ import annotations

import threading
from collections.abc import Callable
from time import monotonic
from weakref import ref

from gpustream import _captures, _hooks
from gpustream._load import _core
from gpustream.errors import Error, fail, make

_lock = threading.RLock()  # a finalizer or signal handler may come in between and synchronize
_returned = threading.Condition(_lock)
_pending: dict[int, _Callback] = {}  # ticket: _Callback, in the order of the tickets
_functions: dict[int, ref[HostFunction]] = {}  # in streams and graphs, by ticket
_deferred: dict[int, Callable[[], object]] = {}  # by ticket
_holding = 0  # how many of _functions hold their streams
_unkept: list[HostFunction] = []
_next_ticket = 1
_thread: threading.Thread | None = None
_closed = _hooks.exiting  # at the first use


class _Callback:
    __slots__ = ("fn", "mark")

    def __init__(self, fn: Callable[[], object], mark: _core.Event) -> None:
        self.fn = fn
        self.mark = mark  # an event behind the work that precedes the callback


def _check(fn: object, where: str) -> None:
    if not callable(fn):
        raise TypeError(f"{where}(): argument 'fn' must be callable, not {type(fn).__name__}")


def _new_ticket() -> int:
    """Under the lock."""
    global _next_ticket
    if _closed:
        raise fail(_core.GS_ERROR_SHUTDOWN, "the interpreter is exiting: no callback would run")
    _start_thread()
    _next_ticket += 1
    return _next_ticket - 1


def add(stream: _core.generic.Stream, fn: Callable[[], object]) -> None:
    """Stream.add_done_callback()."""
    _check(fn, "add_done_callback")
    if _captures.is_under_way() and stream.is_capturing():  # before the mark is captured
        raise fail(_core.GS_ERROR_CAPTURING, "the stream is being captured; launch_host_func() puts a function into the graph")
    mark = _core.Event()
    with _lock:
        ticket = _new_ticket()
        # Registered before it can be due, and counted before a synchronize() can come behind it.
        _pending[ticket] = _Callback(fn, mark)
        _count()
    try:
        mark.record(stream)
        _core.notify(stream, ticket)
    except BaseException:
        _forget(ticket)
        raise


def _forget(ticket: int) -> None:
    with _lock:
        del _pending[ticket]
        _count()
        _returned.notify_all()


def _count() -> None:
    """What makes synchronizing calls come to wait_around(), and calls that reach the driver give the GIL up."""
    _core.set_pending_callbacks(len(_pending) + len(_functions) - _holding)
    _core.set_holding(_holding)


class HostFunction:
    """A Python function in a stream or in graphs, which keep this object. It is called once for each announcement of its
    ticket; with once=True only the first one counts, and it is dropped then."""

    __slots__ = ("__weakref__", "fn", "holds", "once", "ticket")

    fn: Callable[[], object] | None

    def __init__(self, fn: Callable[[], object], where: str, *, holds: bool = False, once: bool = False) -> None:
        global _holding
        self.ticket = 0
        _check(fn, where)
        self.fn = fn
        self.holds = holds
        self.once = once
        with _lock:
            self.ticket = _new_ticket()
            _functions[self.ticket] = ref(self)
            _holding += holds
            _count()

    def end(self) -> None:
        """No announcement counts any more."""
        global _holding
        with _lock:
            if _functions.pop(self.ticket, None):
                _holding -= self.holds
                _count()

    def __del__(self) -> None:
        if self.ticket and _lock is not None:  # None: the interpreter has taken its modules apart
            self.end()


def launch(stream: _core.generic.Stream, fn: Callable[[], object]) -> None:
    """Stream.launch_host_func()."""
    if _captures.is_under_way() and stream.is_capturing():
        return _capture(stream, fn)
    function = HostFunction(fn, "launch_host_func", holds=True, once=True)
    _core.gs_stream_launch_host(stream, _core.host_holder(), function.ticket)
    try:
        _core.stream_keep(stream, function)  # the driver does not call it after a failure, and says nothing
    except Error:
        _unkept.append(function)  # it is in the stream, and will be called


def _capture(stream: _core.generic.Stream, fn: Callable[[], object]) -> None:
    graph = _captures.graph_of(stream)
    if not graph:
        raise fail(_core.GS_ERROR_CAPTURING, "the stream's capture was broken, or began outside gpustream, where a function cannot be kept")
    function = HostFunction(fn, "launch_host_func", holds=True)
    _captures.keep_for_graph(graph, function)
    _core.gs_stream_launch_host(stream, _core.host_holder(), function.ticket)


def defer(stream: _core.generic.Stream, fn: Callable[[], object]) -> None:
    """Stream.defer()."""
    _check(fn, "defer")
    with _lock:
        ticket = _new_ticket()
        _deferred[ticket] = fn
    try:
        _core.defer(stream, ticket)
    except BaseException:
        del _deferred[ticket]
        raise


def _start_thread() -> None:
    global _thread
    if _thread is None:
        thread = threading.Thread(target=_serve, name="gpustream-callbacks", daemon=True)
        try:
            thread.start()
        except RuntimeError as error:
            raise fail(_core.GS_ERROR_SHUTDOWN, f"no thread for callbacks: {error}") from error
        _thread = thread


def _serve() -> None:
    while (notes := _core.mailbox_wait()) is not None:
        for ticket, status in notes:
            if ticket in _deferred:
                _run(_deferred.pop(ticket), _core.GS_OK)
                continue
            if ticket not in _pending:
                _serve_function(ticket)
                continue
            try:
                with _lock:
                    fn = _pending[ticket].fn
                _run(fn, status)
                del fn
            finally:
                _forget(ticket)  # whatever happened: synchronize() waits for it


def _serve_function(ticket: int) -> None:
    """A host function was announced. Streams and graphs keep it until what they announced has been served."""
    try:
        with _lock:
            found = _functions.get(ticket)
            function = found() if found else None
        if function and function.fn:
            _run(function.fn, _core.GS_OK)
            if function.once:
                function.fn = None
                function.end()
        del function
    finally:
        with _lock:
            _core.graph_served()
            _returned.notify_all()
        _core.host_let_go(ticket)
        _core.graph_release_ended()


def _run(fn: Callable[[], object], status: int) -> None:
    try:
        if status != _core.GS_OK:
            raise make(status, 0, 0, 0, "gs_stream_notify", "", "the work before a callback failed")
        fn()
    except BaseException as error:  # also SystemExit: this thread serves all callbacks
        _core.write_unraisable(error, fn)


def wait_around(synchronize: Callable[[], object], timeout_ns: int) -> None:
    """Hook: makes a synchronizing call while callbacks are pending. Those whose work was done when it ended have
    returned when this returns, whichever stream they are in. timeout_ns: also for the callbacks; negative: no limit."""
    if threading.current_thread() is _thread:
        raise fail(_core.GS_ERROR_NOT_PERMITTED, "a callback may not block: all callbacks wait for it")
    end = monotonic() + timeout_ns / 1e9
    with _lock:
        before = list(_pending.items())
    synchronize()
    due = [ticket for ticket, callback in before if _is_done(callback.mark)]
    announced = _core.graph_announced()
    with _returned:
        left = None if timeout_ns < 0 else max(0.0, end - monotonic())
        returned = _returned.wait_for(
            lambda: _closed or not (any(ticket in _pending for ticket in due) or _core.graph_served_count() < announced), left)
    if not returned:
        raise fail(_core.GS_ERROR_TIMEOUT, "the work is done, but not all callbacks have returned")


def _is_done(mark: _core.Event) -> bool:
    try:
        return mark.query()
    except RuntimeError:
        return True  # the work failed: its note is on the way


def stop() -> None:
    """At exit, while Python threads still run: what is due is called, the rest is dropped."""
    global _closed
    with _lock:
        _closed = True
        _returned.notify_all()
    _core.mailbox_close()
    if _thread is not None and _thread.is_alive() and threading.current_thread() is not _thread:
        _thread.join()


def after_fork() -> None:
    """In the child."""
    global _holding, _lock, _returned, _thread
    _lock = threading.RLock()
    _returned = threading.Condition(_lock)
    _pending.clear()
    _functions.clear()
    _deferred.clear()
    _holding = 0
    _thread = None
