# SPDX-License-Identifier: Apache-2.0
"""Where the bytes of Buffer.copy_() come from, and those of fill_()."""
from __future__ import annotations

from typing import TYPE_CHECKING

from gpustream import _buffer_dlpack, _captures
from gpustream._load import _core

if TYPE_CHECKING:
    from typing import Any, SupportsIndex

    from gpustream import generic
    from gpustream._buffer import Buffer
    from gpustream._types import StreamLike


def copy(target: Buffer, source: Any, given: StreamLike | None) -> None:
    """Copies all bytes of the source, which must be as many as the target has."""
    stream = target._use(given)
    if isinstance(source, _core.Buffer):
        _copy_buffer(target, source, stream)
    elif _has_buffer(source):
        target._copy_from(source, stream)
        _captures.keep_for_capture(stream, _kept(target))
    elif hasattr(source, "__dlpack__"):
        _copy_buffer(target, _buffer_dlpack.from_dlpack(source, stream=stream), stream)
    elif hasattr(source, "__cuda_array_interface__"):
        _copy_buffer(target, _buffer_dlpack.from_interface(source, stream), stream)
    else:
        raise TypeError(f"argument 'src' must be a Buffer, a buffer or an array, not {type(source).__name__}")


def fill(target: Buffer, value: SupportsIndex, given: StreamLike | None) -> None:
    """Sets all bytes of the target."""
    stream = target._use(given)
    _core.gs_memset_async(target.ptr, value, target.nbytes, stream)
    _captures.keep_for_capture(stream, _kept(target))


def _has_buffer(source: Any) -> bool:
    try:
        memoryview(source).release()
    except TypeError:
        return False
    return True


def _kept(*buffers: _core.Buffer) -> list[_core.Buffer]:
    """Those that a graph has to keep: memory that its own capture has allocated is its own already."""
    return [buffer for buffer in buffers if not buffer._captured]


def _copy_buffer(target: Buffer, source: _core.Buffer, stream: generic.Stream) -> None:
    if source.nbytes != target.nbytes:
        raise ValueError(f"the buffer has {target.nbytes} bytes, what is copied has {source.nbytes}")
    to, start, size = target.ptr, source.ptr, source.nbytes
    if to < start + size and start < to + size:
        raise ValueError("what is copied overlaps the buffer")
    source._use(stream)
    _core.gs_memcpy_async(to, start, size, stream)
    _captures.keep_for_capture(stream, _kept(target, source))
