# SPDX-License-Identifier: Apache-2.0
"""gpustream.Buffer in what tasks return: its memory travels as an array of bytes, and arrives as memory of a new buffer.

Ray knows one type for each transport, here numpy.ndarray. So pickle reduces a buffer to one.
"""
from __future__ import annotations

import copyreg
from typing import Any, NoReturn

import gpustream
import numpy
import ray
from gpustream.errors import Status, fail

_HOST = 1  # DLPack's type of memory of the host


class _Unordered:
    """A buffer as NumPy takes it without a wait: the array is read in stream order only."""

    def __init__(self, buffer: gpustream.Buffer) -> None:
        self._buffer = buffer

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._buffer.__dlpack_device__()

    def __dlpack__(self, **how: Any) -> object:
        return self._buffer.__dlpack__(**how | {"stream": -1})


def to_array(buffer: gpustream.Buffer) -> numpy.ndarray[Any, Any]:
    """The buffer's memory. The current stream waits for the buffer's; the buffer cannot be closed while the array is there.

    Raises:
        gpustream.NotSupportedError: it is memory of a GPU, or page-locked for one.
        gpustream.InvalidHandleError: the buffer was closed.
    """
    kind, _ = buffer.__dlpack_device__()
    if kind != _HOST:
        raise fail(Status.NOT_SUPPORTED, f"a buffer of {buffer.device} cannot be handed over to another process yet: copy it to an array "
                   "in the stream")
    current = gpustream.current_stream()
    if buffer.stream != current:
        current.wait_stream(buffer.stream)
    array: numpy.ndarray[Any, Any] = numpy.from_dlpack(_Unordered(buffer.view("uint8")))
    return array


def from_array(array: numpy.ndarray[Any, Any], dtype: str, shape: tuple[int, ...]) -> gpustream.Buffer:
    """A buffer of the current stream in the array's memory."""
    return gpustream.from_dlpack(array).view(dtype, shape)


def _reduce(buffer: gpustream.Buffer) -> tuple[Any, ...] | NoReturn:
    # Only where Ray takes arrays out of what it pickles. Elsewhere it would copy them at once, whatever the stream still does.
    worker = ray._private.worker.global_worker
    if worker.connected and getattr(worker.get_serialization_context()._thread_local, "use_external_transport", False):
        return from_array, (to_array(buffer), buffer.dtype, buffer.shape)
    return buffer.__reduce_ex__(2)


def register() -> None:
    """Of this process. Ray has the processes of actors import the package before their first task."""
    copyreg.pickle(gpustream.Buffer, _reduce)  # type: ignore[arg-type]
