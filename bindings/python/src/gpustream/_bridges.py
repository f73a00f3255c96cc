# SPDX-License-Identifier: Apache-2.0
"""Libraries that keep a current stream of their own: leading and following them (gpustream.interop)."""
from __future__ import annotations

import atexit
import ctypes
import os
import threading
from collections.abc import Callable
from typing import Any

from gpustream._cupy import CupyBridge
from gpustream._devices import unsigned
from gpustream._load import _core

# The functions of gs_bridge_t. Any thread may call one, also one that never ran Python.
_Get = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_int32, ctypes.POINTER(ctypes.c_size_t))
_Set = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_int32, ctypes.c_size_t)
_SetDevice = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_int32)

_lock = threading.RLock()
_registered: dict[str, int] = {}  # of Python bridges, by name
_called: dict[int, list[Any]] = {}  # what the library calls, by the bridge's number
_led: dict[int, int] = {}  # number of a bridge: how often it was asked for
_followed = [0, 0]  # number of the bridge, how often it was asked for


def _check_name(name: object) -> None:
    if not isinstance(name, str):
        raise TypeError(f"the name of a library must be str, not {type(name).__name__}")


def _number(name: str) -> int:
    _check_name(name)
    with _lock:
        if name == "cupy" and name not in _registered:
            register(CupyBridge())
        return _registered[name] if name in _registered else _core.gs_bridge_find(name)


def _native(prototype: Callable[[Any], Any], fn: Callable[..., object], shown: Callable[..., object]) -> Any:
    """What the library calls in place of fn. A failure is shown, as no Python caller may be there."""

    def call(_argument: object, *given: Any) -> int:
        try:
            fn(*given)
        except BaseException as error:
            _core.write_unraisable(error, shown)
            return 1
        return 0

    return prototype(call)


def _functions_of(bridge: Any) -> dict[str, Any]:
    get, found = bridge.get, {}

    def read(device_index: int, result: Any) -> None:
        result[0] = unsigned(get(device_index), "result")

    for name, prototype in (("get", _Get), ("set", _Set), ("set_device", _SetDevice)):
        fn = getattr(bridge, name, None)
        if fn is not None or name == "get":
            if not callable(fn):
                raise TypeError(f"argument '{name}' must be callable, not {type(fn).__name__}")
            found[name] = _native(prototype, read if name == "get" else fn, fn)
    return found


def register(bridge: Any) -> None:
    _check_name(bridge.name)
    functions = _functions_of(bridge)
    addresses = {name: ctypes.cast(function, ctypes.c_void_p).value for name, function in functions.items()}
    with _lock:
        number = _core.gs_bridge_register({"name": bridge.name, **addresses})
        _registered[bridge.name] = number
        _called[number] = list(functions.values())


def unregister(name: str) -> None:
    _check_name(name)
    with _lock:
        number = _registered[name] if name in _registered else _core.gs_bridge_find(name)
    # Not under the lock: it waits for threads that are inside the bridge's functions.
    _core.gs_bridge_unregister(number)
    with _lock:
        _called.pop(number, None)
        if _registered.get(name) == number:
            del _registered[name]
        _led.pop(number, None)
        if _followed[0] == number:
            _followed[:] = 0, 0


class Switch:
    """What lead() and follow() return: it is on; end() or the end of a with block turns it off, unless others want it too."""

    def __init__(self, led: list[int], followed: int) -> None:
        self._led, self._followed, self._on = led, followed, True

    def end(self) -> None:
        """Turns it off. A second call does nothing."""
        with _lock:
            if not self._on:
                return
            self._on = False
            for number in reversed(self._led):
                _less(number)
            if self._followed and _followed[0] == self._followed:
                _followed[1] -= 1
                if not _followed[1]:
                    _followed[0] = 0
                    _core.gs_bridge_follow(0)

    def __enter__(self) -> Switch:
        return self

    def __exit__(self, *exception: object) -> None:
        self.end()


def _less(number: int) -> None:
    count = _led.get(number, 0) - 1
    if count > 0:
        _led[number] = count
    elif _led.pop(number, None):
        _core.gs_bridge_lead(number, 0)


def lead(names: tuple[str, ...]) -> Switch:
    done: list[int] = []
    with _lock:
        try:
            for number in [_number(name) for name in names]:
                if number not in _led:
                    _core.gs_bridge_lead(number, 1)
                _led[number] = _led.get(number, 0) + 1
                done.append(number)
        except BaseException:
            for number in reversed(done):
                _less(number)
            raise
    return Switch(done, 0)


def follow(name: str) -> Switch:
    with _lock:
        number = _number(name)
        if _followed[0] != number:
            _core.gs_bridge_follow(number)
            _followed[:] = number, 0
        _followed[1] += 1
    return Switch([], number)


def _stop() -> None:
    """At exit: no thread of another language comes to Python functions any more."""
    for name in list(_registered):
        try:
            unregister(name)
        except RuntimeError:
            continue  # a forked child has none


def _after_fork() -> None:
    global _lock
    _lock = threading.RLock()
    _registered.clear()
    _led.clear()
    _followed[:] = 0, 0


atexit.register(_stop)
os.register_at_fork(after_in_child=_after_fork)
