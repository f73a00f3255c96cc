# SPDX-License-Identifier: Apache-2.0
"""The few names of the CUDA runtime that torch.cuda offers, without the runtime."""
from __future__ import annotations

import enum
from typing import SupportsIndex

from gpustream import _later
from gpustream._load import _core
from gpustream._runtime_texts import code_of, text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gpustream._types import DeviceLike


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
        return text_of(code_of(error, "error"))

    @staticmethod
    def cudaMemGetInfo(device: DeviceLike) -> tuple[int, int]:
        """(free, total) memory of a device, bytes: gpustream.mem_get_info(), with its errors as exceptions."""
        free, total = _later.load("_telemetry").mem_get_info(device)
        return free, total

    @staticmethod
    def cudaProfilerStart() -> _Error:
        """Start collecting in an attached profiler; returns a cudaError. Backends other than CUDA have none: success."""
        return _profile(True)

    @staticmethod
    def cudaProfilerStop() -> _Error:
        """Stop collecting in an attached profiler; returns a cudaError."""
        return _profile(False)


def _profile(on: bool) -> cudaError:
    return cudaError(_later.load("_backends").special(_core.gs_default_backend()).profile(on))


_instance = _Cudart()


def cudart() -> _Cudart:
    """The runtime's names: cudaError, cudaGetErrorString, cudaMemGetInfo, cudaProfilerStart, cudaProfilerStop. Initialises the library."""
    _core.start()
    return _instance
