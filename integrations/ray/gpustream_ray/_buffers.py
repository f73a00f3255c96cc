# SPDX-License-Identifier: Apache-2.0
"""gpustream.Buffer in what tasks return: its memory travels as an array of bytes, and arrives as memory of a new buffer.

Ray knows one type for each transport, here numpy.ndarray. So pickle reduces a buffer to one.
"""
from __future__ import annotations

import copyreg
from collections.abc import Callable
from typing import Any, NoReturn, TypeVar

import gpustream
import numpy
import ray
from gpustream.errors import Status, fail

_Array = TypeVar("_Array")
_HOST, _GPU = 1, 2  # DLPack's types of memory


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
        gpustream.NotSupportedError: it is not memory of the host, or page-locked.
        gpustream.InvalidHandleError: the buffer was closed.
    """
    kind, _ = buffer.__dlpack_device__()
    if kind != _HOST:
        raise fail(Status.NOT_SUPPORTED, f"a page-locked buffer of {buffer.device} cannot be handed over: copy it to a buffer of the device, "
                   "or to an array, in the stream")
    _order(buffer)
    array: numpy.ndarray[Any, Any] = numpy.from_dlpack(_Unordered(buffer.view("uint8")))
    return array


def _order(buffer: gpustream.Buffer) -> gpustream.Stream:
    """Makes the current stream of the buffer's device wait for the buffer's; returns it."""
    current = gpustream.current_stream(buffer.stream.device_index)
    if buffer.stream != current:
        current.wait_stream(buffer.stream)
    return current


def to_bytes_of_gpu(buffer: gpustream.Buffer) -> gpustream.Buffer:
    """The same memory as bytes of the current stream, as to_array()."""
    return gpustream.from_dlpack(_Unordered(buffer.view("uint8")), stream=_order(buffer))


def is_of_gpu(buffer: gpustream.Buffer) -> bool:
    kind, _ = buffer.__dlpack_device__()
    return kind == _GPU


def address_of(item: Any) -> int:
    """Of an array, or of a buffer of a GPU."""
    return int(item.ptr if isinstance(item, gpustream.Buffer) else item.ctypes.data)


def from_array(array: numpy.ndarray[Any, Any], dtype: str, shape: tuple[int, ...]) -> gpustream.Buffer:
    """A buffer of the current stream in the array's memory."""
    return gpustream.from_dlpack(array).view(dtype, shape)


def _context() -> Any:
    """What Ray keeps of the object that this thread pickles, or reads."""
    return ray._private.worker.global_worker.get_serialization_context()._thread_local


def _taken(index: int, dtype: str, shape: tuple[int, ...]) -> gpustream.Buffer:
    """A buffer of a GPU that has arrived, or that this process has sent."""
    return to_bytes_of_gpu(_context().rdt_tensors[index]).view(dtype, shape)


def _is_taken_out() -> bool:
    """Whether Ray takes arrays out of what this thread pickles. Elsewhere it would copy them at once, whatever the stream still does."""
    return bool(ray._private.worker.global_worker.connected and getattr(_context(), "use_external_transport", False))


def _reduce(buffer: gpustream.Buffer) -> tuple[Any, ...] | NoReturn:
    if _is_taken_out():
        if not is_of_gpu(buffer):
            return from_array, (to_array(buffer), buffer.dtype, buffer.shape)
        # Ray takes out one type, numpy.ndarray, by a number in a list. This does the same for another one.
        _context().rdt_tensors.append(to_bytes_of_gpu(buffer))
        return _taken, (len(_context().rdt_tensors) - 1, buffer.dtype, buffer.shape)
    return buffer.__reduce_ex__(2)


def hand_over(kind: type[_Array], from_buffer: Callable[[gpustream.Buffer], _Array],
              to_buffer: Callable[[_Array], gpustream.Buffer] = gpustream.from_dlpack) -> None:
    """Lets arrays of another library travel as buffers in what tasks return: hand_over(torch.Tensor, torch.from_dlpack).

    Of this process, and of this class without those derived from it. from_buffer is pickled by its name. Memory of the host has no
    streams in DLPack: there to_buffer waits for the buffer's work.
    """

    def reduce(array: _Array) -> str | tuple[Any, ...]:
        if _is_taken_out():
            return from_buffer, (to_buffer(array),)
        return array.__reduce_ex__(2)

    copyreg.pickle(kind, reduce)


def register() -> None:
    """Of this process. Ray has the processes of actors import the package before their first task."""
    copyreg.pickle(gpustream.Buffer, _reduce)
