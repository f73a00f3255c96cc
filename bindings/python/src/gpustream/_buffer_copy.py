# SPDX-License-Identifier: Apache-2.0
"""Where the bytes of Buffer.copy_() come from, and those of fill_()."""
from __future__ import annotations

from typing import TYPE_CHECKING

from gpustream import _buffer_dlpack, _captures
from gpustream._load import _core

if TYPE_CHECKING:
    from typing import Any, SupportsIndex

    from gpustream._buffer import Buffer


def copy(target: Buffer, source: Any) -> None:
    """Copies all bytes of the source, which must be as many as the target has."""
    if isinstance(source, _core.Buffer):
        _copy_buffer(target, source)
    elif _has_buffer(source):
        target._copy_from(source)
        _captures.keep_for_capture(target.stream, _kept(target))
    elif hasattr(source, "__dlpack__"):
        _copy_buffer(target, _buffer_dlpack.from_dlpack(source))
    elif hasattr(source, "__cuda_array_interface__"):
        _copy_buffer(target, _buffer_dlpack.from_interface(source, target.stream))
    else:
        raise TypeError(f"argument 'src' must be a Buffer, a buffer or an array, not {type(source).__name__}")


def fill(target: Buffer, value: SupportsIndex) -> None:
    """Sets all bytes of the target."""
    stream = target.stream
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


def _copy_buffer(target: Buffer, source: _core.Buffer) -> None:
    if source.nbytes != target.nbytes:
        raise ValueError(f"the buffer has {target.nbytes} bytes, what is copied has {source.nbytes}")
    to, start, size = target.ptr, source.ptr, source.nbytes
    if to < start + size and start < to + size:
        raise ValueError("what is copied overlaps the buffer")
    stream, other = target.stream, source.stream
    if stream != other:
        stream.wait_stream(other)
        source.record_stream(stream)
    _core.gs_memcpy_async(to, start, size, stream)
    _captures.keep_for_capture(stream, _kept(target, source))
