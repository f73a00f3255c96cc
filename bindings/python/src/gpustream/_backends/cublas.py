# SPDX-License-Identifier: Apache-2.0
"""cuBLAS handles: one for each thread, device and stream, bound to the stream at each call.

Only one thread at a time may use a handle, and a handle that is bound to another stream loses its workspace.
"""
from __future__ import annotations

import contextlib
import ctypes
import os
import threading
from ctypes import byref, c_int, c_void_p
from typing import TYPE_CHECKING

from gpustream._load import _core
from gpustream.errors import fail, make

if TYPE_CHECKING:
    from collections.abc import Iterator

_LIBRARIES = ("libcublas.so.13", "libcublas.so.12")
_RELAXED = 2  # CU_STREAM_CAPTURE_MODE_RELAXED
_ALLOCATION_FAILED = 3  # CUBLAS_STATUS_ALLOC_FAILED

_library: ctypes.CDLL | None = None
_left: dict[tuple[int, int], list[int]] = {}  # handles of threads that have ended, by device and stream


class _Handles:
    """Those of one thread, by device and stream. They are never destroyed: that would call the driver while a thread ends."""

    def __init__(self) -> None:
        self.of: dict[tuple[int, int], int] = {}
        self._left = _left  # the module may be gone before the last thread's

    def __del__(self) -> None:
        for key, handle in self.of.items():
            self._left.setdefault(key, []).append(handle)


class _Thread(threading.local):
    def __init__(self) -> None:
        self.handles = _Handles()


_thread = _Thread()


def _not_there(reason: object) -> Exception:
    return fail(_core.GS_ERROR_NOT_SUPPORTED, f"no cuBLAS: {reason}")


def _open() -> ctypes.CDLL:
    raised = os.geteuid() != os.getuid() or os.getegid() != os.getgid()
    chosen = os.environ.get("GPUSTREAM_LIBCUBLAS")
    if chosen and not raised:
        if "/" in chosen and os.path.exists(chosen) and not os.path.isfile(chosen):  # opening a FIFO would block
            raise _not_there(f"GPUSTREAM_LIBCUBLAS={chosen} is not a file")
        return ctypes.CDLL(chosen)
    # A handle is valid only for the version that made it, so the library that the process works with comes first.
    for name in _LIBRARIES:
        with contextlib.suppress(OSError):
            return ctypes.CDLL(name, mode=os.RTLD_NOLOAD | os.RTLD_LAZY)
    with contextlib.suppress(OSError):
        return ctypes.CDLL(_LIBRARIES[0])
    return ctypes.CDLL(_LIBRARIES[1])


def _loaded() -> ctypes.CDLL:
    """A failure is not kept: the library may be there at the next call."""
    global _library
    if _library is None:
        try:
            library = _open()
            library.cublasCreate_v2.argtypes = [c_void_p]
            library.cublasSetStream_v2.argtypes = [c_void_p, c_void_p]
        except (OSError, AttributeError) as error:
            raise _not_there(error) from None
        _library = library
    return _library


class _Failures:
    """Exceptions of one backend."""

    def __init__(self, backend: int) -> None:
        self.backend = backend

    def check(self, status: int, function: str, library: str, kind: int = _core.GS_ERROR_DRIVER) -> None:
        if status != 0:
            raise make(kind, 0, self.backend, status, "", function, f"{function} failed ({library} status {status})")

    def call(self, library: ctypes.CDLL, function: str, *arguments: object) -> None:
        status = getattr(library, function)(*arguments)
        self.check(status, function, "cuBLAS", _core.GS_ERROR_OUT_OF_MEMORY if status == _ALLOCATION_FAILED else _core.GS_ERROR_DRIVER)


@contextlib.contextmanager
def _in_context(driver: ctypes.CDLL, context: int, failures: _Failures) -> Iterator[None]:
    """cuBLAS makes handles in the current context, and allocates: outside the relaxed mode that breaks captures of others."""
    mode = c_int(_RELAXED)
    failures.check(driver.cuCtxPushCurrent_v2(c_void_p(context)), "cuCtxPushCurrent", "driver")
    try:
        driver.cuThreadExchangeStreamCaptureMode(byref(mode))
        try:
            yield
        finally:
            driver.cuThreadExchangeStreamCaptureMode(byref(mode))
    finally:
        driver.cuCtxPopCurrent_v2(byref(c_void_p()))


def _make(library: ctypes.CDLL, failures: _Failures) -> int:
    made = c_void_p()
    failures.call(library, "cublasCreate_v2", byref(made))
    return made.value or 0


def handle_for(stream: object, driver: ctypes.CDLL, context: int, backend: int) -> int:
    """A handle for this thread, bound to the stream, which is of this context."""
    library, failures = _loaded(), _Failures(backend)
    key = _core.gs_stream_device(stream), _core.gs_stream_native(stream)
    handles = _thread.handles.of
    with _in_context(driver, context, failures):
        if key not in handles:
            try:
                handles[key] = _left[key].pop()
            except LookupError:  # none, or another thread took the last
                handles[key] = _make(library, failures)
        failures.call(library, "cublasSetStream_v2", handles[key], key[1])
    return handles[key]
