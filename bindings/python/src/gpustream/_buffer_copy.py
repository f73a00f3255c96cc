# SPDX-License-Identifier: Apache-2.0
"""Where the bytes of Buffer.copy_() come from, and those of fill_(); several copies in one call."""
from __future__ import annotations

from typing import TYPE_CHECKING

from gpustream import _buffer_dlpack, _captures
from gpustream._load import _core

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, SupportsIndex

    from gpustream import generic
    from gpustream._buffer import Buffer
    from gpustream._types import StreamLike


_ORDERS = {"stream": _core.GS_ACCESS_ORDER_STREAM, "during_call": _core.GS_ACCESS_ORDER_DURING_CALL, "any": _core.GS_ACCESS_ORDER_ANY}


def copy(target: Buffer, source: Any, given: StreamLike | None) -> None:
    """Copies all bytes of the source, which must be as many as the target has."""
    stream = target._use(given)
    if isinstance(source, _core.Buffer):
        _copy_buffer(target, source, stream)
    elif _has_buffer(source):
        target._copy_from(source, stream)
        _submitted(stream, target)
    elif hasattr(source, "__dlpack__"):
        _copy_buffer(target, _buffer_dlpack.from_dlpack(source, stream=stream), stream)
    elif hasattr(source, "__cuda_array_interface__"):
        _copy_buffer(target, _buffer_dlpack.from_interface(source, stream), stream)
    else:
        raise TypeError(f"argument 'src' must be a Buffer, a buffer or an array, not {type(source).__name__}")


def copy_batch(dsts: Sequence[Buffer], srcs: Sequence[Buffer], *, order: str = "stream", stream: StreamLike | None = None) -> None:
    """Copy each of srcs to the buffer at its place in dsts, in one call of the driver where it has one.

    The copies may run in any order and at the same time, so none may read or write what another one writes. In a stream that is
    being captured, each becomes a node of the graph.

    Args:
        dsts: buffers.
        srcs: as many, of the same sizes.
        order: when the sources are read. "stream": after the work that the stream has. "during_call": while the call runs, so that
            they may change when it returns. "any": from the call on until the copies are done. The last two do not wait for
            work of the stream.
        stream: where the copies are made; None: the current stream of the first buffer's device.

    Raises:
        ValueError: the numbers or sizes differ, two sides overlap, or order is none.
        TypeError: an element is no Buffer, or a buffer of dsts is read-only.
        gpustream.CapturingError: the stream is being captured, and order is "during_call".
        gpustream.InvalidHandleError: a buffer or the stream was closed.

    Does not block, but for host memory that is not page-locked. See gs_memcpy_batch_async() in gpustream.h.
    """
    number = _ORDERS.get(order)
    if number is None:
        raise ValueError(f"argument 'order' must be one of {', '.join(map(repr, _ORDERS))}, not {order!r}")
    targets, sources = list(dsts), list(srcs)
    if len(targets) != len(sources):
        raise ValueError(f"{len(targets)} buffers are copied to from {len(sources)}")
    for one in (*targets, *sources):
        if not isinstance(one, _core.Buffer):
            raise TypeError(f"an element must be a Buffer, not {type(one).__name__}")
    for target, source in zip(targets, sources):
        target._check_writable()
        _check_sides(target, source)
    if not targets:
        return
    on = targets[0]._use(stream)
    for one in (*targets[1:], *sources):
        one._use(on)
    copies = [{"dst": target.ptr, "src": source.ptr, "bytes": target.nbytes} for target, source in zip(targets, sources)]
    _core.gs_memcpy_batch_async(copies, number, on)
    _submitted(on, *targets, *sources)


def fill(target: Buffer, value: SupportsIndex, given: StreamLike | None) -> None:
    """Sets all bytes of the target."""
    stream = target._use(given)
    _core.gs_memset_async(target.ptr, value, target.nbytes, stream)
    _submitted(stream, target)


def _has_buffer(source: Any) -> bool:
    try:
        memoryview(source).release()
    except TypeError:
        return False
    return True


def _submitted(stream: generic.Stream, *buffers: _core.Buffer) -> None:
    """Work of the stream uses the buffers. The stream may have been idle until now, and another thread have forgotten it."""
    for buffer in buffers:
        buffer._use(stream)
    # Memory that the graph's own capture has allocated is the graph's already.
    _captures.keep_for_capture(stream, [buffer for buffer in buffers if not buffer._captured])


def _check_sides(target: Buffer, source: _core.Buffer) -> None:
    if source.nbytes != target.nbytes:
        raise ValueError(f"the buffer has {target.nbytes} bytes, what is copied has {source.nbytes}")
    to, start, size = target.ptr, source.ptr, source.nbytes
    if to < start + size and start < to + size:
        raise ValueError("what is copied overlaps the buffer")


def _copy_buffer(target: Buffer, source: _core.Buffer, stream: generic.Stream) -> None:
    _check_sides(target, source)
    source._use(stream)
    _core.gs_memcpy_async(target.ptr, source.ptr, source.nbytes, stream)
    _submitted(stream, target, source)
