# SPDX-License-Identifier: Apache-2.0
"""Memory of GPUs that processes share: the driver's calls for it, of the driver that gpustream uses."""
from __future__ import annotations

import contextlib
import ctypes
import functools
import os
from collections.abc import Iterator
from typing import Any

import gpustream
from gpustream.errors import Status, fail

BLOCK = 2 << 20  # the driver shares whole blocks: smaller allocations would show others of the process
HANDLE_BYTES = 64
_LAZY_PEER_ACCESS = 1  # the only flag there is, and it must be given
_OUT_OF_MEMORY = 2


class _Handle(ctypes.Structure):
    _fields_ = (("bytes", ctypes.c_char * HANDLE_BYTES),)


@functools.cache
def _driver() -> Any:
    gpustream._core.start()  # which has the driver initialised
    library = ctypes.CDLL(os.environ.get("GPUSTREAM_LIBCUDA") or "libcuda.so.1")
    address, size = ctypes.c_uint64, ctypes.c_size_t
    library.cuMemAlloc_v2.argtypes = ctypes.POINTER(address), size
    library.cuMemFree_v2.argtypes = (address,)
    library.cuIpcGetMemHandle.argtypes = ctypes.POINTER(_Handle), address
    library.cuIpcOpenMemHandle_v2.argtypes = ctypes.POINTER(address), _Handle, ctypes.c_uint
    library.cuIpcCloseMemHandle.argtypes = (address,)
    library.cuDevicePrimaryCtxRetain.argtypes = ctypes.POINTER(ctypes.c_void_p), ctypes.c_int
    library.cuCtxPushCurrent_v2.argtypes = (ctypes.c_void_p,)
    library.cuCtxPopCurrent_v2.argtypes = (ctypes.POINTER(ctypes.c_void_p),)
    library.cuGetErrorName.argtypes = ctypes.c_int, ctypes.POINTER(ctypes.c_char_p)
    return library


def _call(name: str, *arguments: Any) -> None:
    result = getattr(_driver(), name)(*arguments)
    if result != 0:
        text = ctypes.c_char_p()
        _driver().cuGetErrorName(result, ctypes.byref(text))
        status = Status.OUT_OF_MEMORY if result == _OUT_OF_MEMORY else Status.DRIVER
        raise fail(status, f"{name}: {(text.value or b'an unknown error').decode()} ({result})")


@functools.cache
def _context(device: int) -> ctypes.c_void_p:
    """The device's primary context, which the process keeps from now on."""
    context = ctypes.c_void_p()
    _call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
    return context


@contextlib.contextmanager
def _current(device: int) -> Iterator[None]:
    _call("cuCtxPushCurrent_v2", _context(device))
    try:
        yield
    finally:
        _call("cuCtxPopCurrent_v2", ctypes.byref(ctypes.c_void_p()))


def allocate(device: int, size: int) -> tuple[int, bytes]:
    """Memory of whole blocks: its address, and the handle by which other processes open it.

    Raises gpustream.OutOfMemoryError: the device has not so much. DriverError: it cannot share memory.
    """
    address, handle = ctypes.c_uint64(), _Handle()
    with _current(device):
        _call("cuMemAlloc_v2", ctypes.byref(address), size)
        try:
            _call("cuIpcGetMemHandle", ctypes.byref(handle), address)
        except BaseException:
            _call("cuMemFree_v2", address)
            raise
    return address.value, bytes(handle)


def free(device: int, address: int) -> None:
    """Of memory that no process has open."""
    with _current(device):
        _call("cuMemFree_v2", address)


def open_handle(device: int, handle: bytes) -> int:
    """The address of another process's memory. Raises gpustream.DriverError: the driver refuses."""
    address = ctypes.c_uint64()
    with _current(device):
        _call("cuIpcOpenMemHandle_v2", ctypes.byref(address), _Handle.from_buffer_copy(handle), _LAZY_PEER_ACCESS)
    return address.value


def close_handle(device: int, address: int) -> None:
    """Of memory that no work uses any more."""
    with _current(device):
        _call("cuIpcCloseMemHandle", address)


def name_of(device: int) -> str:
    """The GPU's UUID, the same in all processes, whatever CUDA_VISIBLE_DEVICES says."""
    return str(gpustream.get_device_properties(device).uuid)


def device_named(name: str) -> int | None:
    """Its number in this process, or None where it is hidden."""
    if gpustream.current_stream().device.type != "cuda":
        return None
    return next((device for device in range(gpustream.device_count()) if name_of(device) == name), None)
