# SPDX-License-Identifier: Apache-2.0
"""The few names of the CUDA runtime that torch.cuda offers, without the runtime."""
from __future__ import annotations

import ctypes
import enum
import threading
from typing import SupportsIndex

from gpustream import _later
from gpustream._devices import ordinal, unsigned
from gpustream._load import _core
from gpustream._runtime_texts import text_of
from gpustream._stream import Stream
from gpustream.errors import Error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from gpustream._backends import Special
    from gpustream._types import DeviceLike

_INVALID_VALUE, _INVALID_HANDLE = 1, 400

_lock = threading.Lock()
_created: dict[int, Stream] = {}  # by their cudaStream_t


class cudaStatus:
    """Numbers of the CUDA runtime."""

    SUCCESS = 0
    ERROR_NOT_READY = 600


class cudaError(int):
    """A code of the CUDA runtime."""

    success: cudaError

    def __repr__(self) -> str:
        return f"cudaError({int(self)})"


cudaError.success = cudaError(0)
_Error = cudaError  # inside _Cudart the name is an attribute


class _ProfilerOutputMode(enum.IntEnum):
    KeyValuePair = 0
    CSV = 1


class _Cudart:
    """What gpustream.cudart() returns."""

    cudaError = cudaError
    cudaOutputMode = _ProfilerOutputMode

    @staticmethod
    def cudaGetErrorString(error: SupportsIndex) -> str:
        """The runtime's text of a code (int or cudaError); "unrecognized error code" where it has none."""
        return text_of(ordinal(error, "error"))

    @staticmethod
    def cudaMemGetInfo(device: DeviceLike) -> tuple[int, int]:
        """(free, total) memory of a device, bytes: gpustream.mem_get_info(), with its errors as exceptions."""
        free, total = _later.load("_telemetry").mem_get_info(device)
        return free, total

    @staticmethod
    def cudaHostRegister(ptr: SupportsIndex, size: SupportsIndex, flags: SupportsIndex) -> _Error:
        """Page-lock memory of the host.

        Args:
            ptr: the first byte, an address.
            size: bytes.
            flags: of cudaHostRegister; 0 as a rule.

        Returns:
            A cudaError: 712 if some of it is registered already. The host backend's devices use any memory, so there it is
            only remembered.

        Raises:
            TypeError, OverflowError: an argument is no int, or out of range.
        """
        address, size, flags = unsigned(ptr, "ptr"), unsigned(size, "size"), unsigned(flags, "flags", 32)
        return cudaError(_special().host_register(address, size, flags))

    @staticmethod
    def cudaHostUnregister(ptr: SupportsIndex) -> _Error:
        """End what cudaHostRegister() began at this address; returns a cudaError: 713 if nothing did."""
        return cudaError(_special().host_unregister(unsigned(ptr, "ptr")))

    @staticmethod
    def cudaStreamCreate(ptr: SupportsIndex) -> _Error:
        """Create a stream of the current device and store its cudaStream_t at an address.

        Args:
            ptr: the address of 8 bytes.

        Returns:
            A cudaError: 1 if the address is 0, 2 if memory is out. Other failures are exceptions.
        """
        address = unsigned(ptr, "ptr")
        if address == 0:
            return cudaError(_INVALID_VALUE)
        stream = Stream(dedicated=True)
        native = stream.cuda_stream
        with _lock:
            _created[native] = stream
        ctypes.c_uint64.from_address(address).value = native
        return cudaError(0)

    @staticmethod
    def cudaStreamDestroy(stream: SupportsIndex) -> _Error:
        """Destroy a stream of cudaStreamCreate(), a cudaStream_t; its work is still done.

        Returns a cudaError: 400 for any other stream, which its owner destroys.
        """
        with _lock:
            found = _created.pop(unsigned(stream, "stream"), None)
        if found is None:
            return cudaError(_INVALID_HANDLE)
        found.close()
        return cudaError(0)

    @staticmethod
    def cudaProfilerStart() -> _Error:
        """Start collecting in an attached profiler; returns a cudaError. Backends other than CUDA have none: success."""
        return _code(_core.gs_profiler_start)

    @staticmethod
    def cudaProfilerStop() -> _Error:
        """Stop collecting in an attached profiler; returns a cudaError."""
        return _code(_core.gs_profiler_stop)


def _code(call: Callable[[], None]) -> cudaError:
    try:
        call()
    except Error as error:  # those that are not the driver's have no code
        if error.native_code == 0:
            raise
        return cudaError(error.native_code)
    return cudaError.success


def _special() -> Special:
    found: Special = _later.load("_backends").special(_core.gs_default_backend())
    return found


_instance = _Cudart()


def cudart() -> _Cudart:
    """The runtime's names: cudaError, cudaGetErrorString, cudaMemGetInfo, cudaHostRegister, cudaHostUnregister, cudaStreamCreate,
    cudaStreamDestroy, cudaProfilerStart, cudaProfilerStop. Initialises the library."""
    _core.start()
    return _instance
