# SPDX-License-Identifier: Apache-2.0
"""Buffers as arrays of other libraries, and the other way round: which device, which stream, which version."""
from __future__ import annotations

from operator import index
from typing import TYPE_CHECKING

from gpustream import _backends, interop
from gpustream._addresses import size_of_interface
from gpustream._backend_names import BACKENDS
from gpustream._buffer import Buffer
from gpustream._load import _core

if TYPE_CHECKING:
    from typing import Any

    from gpustream import generic
    from gpustream._types import StreamLike

VERSION = (1, 0)  # of DLPack
_HOST = 1  # DLPack's type of ordinary memory
_READ_ONLY, _IS_COPIED = 1, 2  # flags of a capsule
_PINNED, _PAGEABLE = 1, 2  # Buffer._place


def _types(backend: int) -> tuple[int, int]:
    """DLPack's types of a backend's devices and of the memory that is page-locked for them."""
    special = _backends.special(backend)
    return special.dlpack_device, special.dlpack_pinned


def device_of(buffer: Buffer) -> tuple[int, int]:
    """__dlpack_device__()."""
    if buffer._place == _PAGEABLE:
        return _HOST, 0
    stream = buffer.stream
    kind = _types(stream.device_type)[buffer._place]
    return kind, 0 if kind == _HOST else stream.device_index


def is_cuda(buffer: Buffer) -> bool:
    """Whether it is memory of a device that __cuda_array_interface__ is for."""
    return buffer._place not in (_PINNED, _PAGEABLE) and _backends.special(buffer.stream.device_type).has_cuda_arrays


def _pair(given: Any, name: str) -> tuple[int, int]:
    try:
        first, second = given
        return index(first), index(second)
    except (TypeError, ValueError):
        raise TypeError(f"argument '{name}' must be a pair of ints, not {given!r}") from None


def to_capsule(buffer: Buffer, stream: Any, max_version: Any, dl_device: Any, copy: Any) -> object:
    """Buffer.__dlpack__()."""
    versioned = int(max_version is not None and _pair(max_version, "max_version") >= VERSION)
    own = device_of(buffer)
    wanted = own if dl_device is None else _pair(dl_device, "dl_device")
    if copy not in (None, False, True):
        raise TypeError(f"argument 'copy' must be bool or None, not {type(copy).__name__}")
    if buffer.readonly and not versioned and copy is not True:
        raise BufferError("the buffer is read-only, which capsules before DLPack 1.0 cannot say")
    on_host = buffer._place in (_PINNED, _PAGEABLE) or own[0] == _HOST
    if wanted != own and wanted != (_HOST, 0):
        raise BufferError(f"the buffer is on DLPack's device {own}; a copy to {wanted} is not made here")
    to_host = wanted != own and not on_host
    if to_host and copy is False:
        raise BufferError("memory of a device is not on the host without a copy")
    _check_stream(buffer, stream, on_host)
    flags = 0
    if copy or to_host:
        copied = Buffer(buffer.nbytes, device=buffer.device, pinned=to_host or buffer.pinned)
        order_behind_all(buffer, copied.stream)
        buffer = copied.copy_(buffer, stream=copied.stream).view(buffer.dtype, buffer.shape)
        flags = _IS_COPIED
    _order(buffer, stream, on_host or to_host)
    if buffer.readonly:
        flags |= _READ_ONLY
    return buffer._to_capsule(versioned, flags if versioned else 0, *wanted)


def _check_stream(buffer: Buffer, number: Any, on_host: bool) -> None:
    """What is wrong about a consumer's stream, before anything is copied."""
    if number is not None and number != -1 and on_host and not _backends.special(buffer.stream.device_type).has_dlpack_streams:
        raise ValueError(f"memory of the host has no streams in DLPack: stream is None or -1, not {number!r}")
    if number is not None:
        interop.from_dlpack(number, buffer.device)


def order_behind_all(buffer: Buffer, stream: generic.Stream) -> generic.Stream:
    """Makes the stream wait for all that have used the buffer; a graph cannot wait for work from outside of it, so the host does."""
    for user in buffer._streams():
        if user == stream:
            continue
        if stream.is_capturing() and not user.is_capturing():
            if not user.query():
                user.synchronize()
        else:
            stream.wait_stream(user)
    return stream


def _order(buffer: Buffer, number: int | None, on_host: bool) -> None:
    """Makes the consumer's stream, or the calling thread for one without a stream, wait for those that have used the buffer."""
    if number is None and on_host:
        for user in buffer._streams():
            user.synchronize()
        return
    consumer = interop.from_dlpack(number, buffer.device)
    if consumer is None:
        return
    order_behind_all(buffer, consumer)
    if consumer.is_default:  # another one may end before the buffer does
        buffer.record_stream(consumer)


def _stream_on(kind: int, number: int, given: StreamLike | None) -> generic.Stream:
    """The stream that a buffer of memory on DLPack's device belongs to."""
    stream = None if given is None else interop.as_stream(given)
    if kind == _HOST:
        return stream or _core.current_stream()
    for backend in BACKENDS:
        types = _types(backend)
        if kind not in types or _core.gs_device_count(backend) <= number:
            continue
        if kind == types[1]:  # page-locked memory is for all devices
            return stream or _core.current_stream()
        default = backend == _core.gs_default_backend()
        device = number if default else _core.gs_device_make(backend, number)
        if stream is None:
            return _core.current_stream(_core.device_of_parts(BACKENDS[backend], number))
        if _core.gs_stream_device(stream) != device:
            raise BufferError(f"the array is on DLPack's device ({kind}, {number}), the stream on {stream.device}")
        return stream
    raise BufferError(f"DLPack's device ({kind}, {number}) is none of gpustream's")


def _ask(producer: Any, **how: Any) -> object:
    """Calls __dlpack__(), also that of a library from before DLPack 1.0."""
    given = {name: value for name, value in how.items() if value is not None}
    try:
        return producer.__dlpack__(max_version=VERSION, **given)
    except TypeError:
        if "copy" in given:
            raise
        return producer.__dlpack__(**given)


def from_dlpack(x: Any, /, *, stream: StreamLike | None = None, copy: bool | None = None) -> Buffer:
    """Return a Buffer in the memory of an array or tensor of another library, without a copy unless one is asked for.

    The memory goes back to its library once the work that the buffer's stream, and recorded ones, have when the buffer is
    dropped is done.

    Args:
        x: an object with __dlpack__() and __dlpack_device__(), on a device of gpustream or on the host, without gaps.
        stream: the stream that will use the buffer, which the producer makes wait for its own work; None: the current one of
            the array's device.
        copy: True: the producer makes a copy; False: it never does; None: as it likes.

    Raises:
        TypeError: x has no __dlpack__(), or does not return a capsule.
        BufferError: x has gaps, is on another device than stream, on none of gpustream's, of an element type that view() does
            not have, or of a DLPack version other than 0 and 1.
        What the producer raises.

    May block where the producer does. The buffer has x's element type and shape; it is read-only if x says that it is.
    """
    if not hasattr(x, "__dlpack__") or not hasattr(x, "__dlpack_device__"):
        raise TypeError(f"argument 'x' must have __dlpack__() and __dlpack_device__(), which {type(x).__name__} lacks")
    kind, number = _pair(x.__dlpack_device__(), "x.__dlpack_device__()")
    _core.start()
    target = _stream_on(kind, number, stream)
    ordered = kind == _types(target.device_type)[0] and kind != _HOST
    capsule = _ask(x, stream=interop.to_dlpack(target) if ordered else None, copy=copy)
    made: Buffer = _core.buffer_from_capsule(capsule, target, kind, number)
    return made


def from_interface(array: Any, stream: generic.Stream) -> Buffer:
    """A Buffer of bytes in the memory of an object with __cuda_array_interface__, for work in the stream, which waits for the
    array's."""
    described = array.__cuda_array_interface__
    try:
        address, readonly = described["data"]
        size = size_of_interface(described, "what is copied")
    except KeyError as missing:
        raise ValueError(f"__cuda_array_interface__ of {type(array).__name__} has no {missing}") from None
    producer = interop.from_cuda_array_interface(described.get("stream"), stream.device)
    if producer is not None:
        stream.wait_stream(producer)
    made: Buffer = _core.buffer_of(address or 0, size, stream, array, readonly)
    return made
