# SPDX-License-Identifier: Apache-2.0
"""Python functions in stream order: Stream.add_done_callback(), launch_host(), defer(), and those in graphs.

The library announces on a thread of its own that a function is due. That thread never waits for the GIL: it leaves a note
in a mailbox. One Python thread empties the mailbox and calls. So a thread that holds the GIL inside a driver call cannot
be what a driver's thread waits for, except for a function that holds its stream: the driver's thread then waits until it has
been called (native/host_hold.c).
"""
from __future__ import annotations

import threading
from collections.abc import Callable
from time import monotonic
from typing import Any
from weakref import ref

from gpustream import _captures, _hooks
from gpustream._load import _core
from gpustream.errors import fail, make

_lock = threading.RLock()  # a finalizer or signal handler may come in between and synchronize
_returned = threading.Condition(_lock)
# By ticket. Ctrl-C may come between any two calls: so each function is in one of these from the call that submits it on.
_pending: dict[int, _Callback] = {}
_deferred: dict[int, Callable[[], object]] = {}
_holders: dict[int, ref[HostFunction]] = {}  # in streams and graphs
unclosed: list[Any] = []  # what a function may not close that holds a stream: after it
_next_ticket = 1
_threads: list[threading.Thread] = []  # more than one if Ctrl-C came while one began
_serving = threading.Lock()  # held by the one that serves
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
        raise fail(_core.GS_ERROR_CAPTURING, "the stream is being captured; launch_host() puts a function into the graph")
    callback = _Callback(fn, _core.Event())
    with _lock:
        ticket = _new_ticket()
    callback.mark.record(stream)
    try:
        # Registered before it can be due, and counted before a synchronize() can come behind it.
        _core.notify(stream, ticket, _pending, callback)
    except BaseException:
        with _lock:
            _returned.notify_all()  # it may be registered no more
        raise


def _count() -> None:
    """What makes calls that reach the driver give the GIL up."""
    _core.set_holding(len(_holders))


class HostFunction:
    """A Python function in a stream or in graphs, which keep this object. It is called once for each announcement of its
    ticket; with once=True only the first one counts, and it is dropped then."""

    __slots__ = ("__weakref__", "fn", "once", "ticket")

    fn: Callable[[], object] | None

    def __init__(self, fn: Callable[[], object], where: str, *, once: bool = False) -> None:
        self.ticket = 0
        _check(fn, where)
        self.fn = fn
        self.once = once
        with _lock:
            self.ticket = _new_ticket()
            _holders[self.ticket] = ref(self)
            _count()

    def end(self) -> None:
        """No announcement counts any more."""
        with _lock:
            if _holders.pop(self.ticket, None):
                _count()

    def __del__(self) -> None:
        # Without a ticket __init__ was interrupted; without a lock the interpreter has taken its modules apart.
        if getattr(self, "ticket", 0) and _lock is not None:
            self.end()


def launch(stream: _core.generic.Stream, fn: Callable[[], object]) -> None:
    """Stream.launch_host()."""
    if _captures.is_under_way() and stream.is_capturing():
        return _capture(stream, fn)
    function = HostFunction(fn, "launch_host", once=True)
    _core.launch_held(stream, function.ticket, function)


def _capture(stream: _core.generic.Stream, fn: Callable[[], object]) -> None:
    graph = _captures.graph_of(stream)
    if not graph:
        raise fail(_core.GS_ERROR_CAPTURING, "the stream's capture was broken, or began outside gpustream, where a function cannot be kept")
    function = HostFunction(fn, "launch_host")
    _captures.keep_for_graph(graph, function)
    _core.gs_stream_launch_host(stream, _core.host_holder(), function.ticket)


def defer(stream: _core.generic.Stream, fn: Callable[[], object]) -> None:
    """Stream.defer()."""
    _check(fn, "defer")
    with _lock:
        ticket = _new_ticket()
    _core.defer(stream, ticket, _deferred, fn)


def _start_thread() -> None:
    for thread in _threads:
        if thread.is_alive():
            return
    thread = threading.Thread(target=_serve, name="gpustream-callbacks", daemon=True)
    _threads.append(thread)
    try:
        thread.start()
    except RuntimeError as error:
        _threads.remove(thread)
        raise fail(_core.GS_ERROR_SHUTDOWN, f"no thread for callbacks: {error}") from error


def _serve() -> None:
    if not _serving.acquire(blocking=False):  # one whose start was interrupted serves
        return
    _core.gs_forbid_sync(_core.GS_FORBID_AS_NOTIFICATION)
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
                with _lock:  # whatever happened: synchronize() waits for it
                    del _pending[ticket]
                    _core.callback_returned()
                    _returned.notify_all()


def _serve_function(ticket: int) -> None:
    """A host function was announced. Streams and graphs keep it until what they announced has been served."""
    try:
        with _lock:
            found = _holders.get(ticket)
            function = found() if found else None
        if function and function.fn:
            _core.gs_forbid_sync(_core.GS_FORBID_AS_HOST_FUNCTION)
            try:
                _run(function.fn, _core.GS_OK)
            finally:
                _core.gs_forbid_sync(_core.GS_FORBID_AS_NOTIFICATION)
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
        while unclosed:
            unclosed.pop().close()


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
    end = monotonic() + timeout_ns / 1e9
    before = _pending.copy()
    synchronize()
    due = [ticket for ticket, callback in before.items() if _is_done(callback.mark)]
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
    for thread in _threads:
        if thread.is_alive() and thread is not threading.current_thread():
            thread.join()


def after_fork() -> None:
    """In the child."""
    global _lock, _returned, _serving
    _lock = threading.RLock()
    _returned = threading.Condition(_lock)
    _serving = threading.Lock()
    _pending.clear()
    unclosed.clear()
    _holders.clear()
    _deferred.clear()
    _threads.clear()
