# SPDX-License-Identifier: Apache-2.0
"""Memory that users name: an address, or an object that has one."""
from __future__ import annotations

import ctypes
from collections.abc import Callable
from numbers import Integral
from operator import index
from typing import Any, SupportsIndex, TypeAlias

from gpustream._load import _core

# An address, a Buffer, a writable buffer (bytearray, memoryview, array, ctypes, numpy), bytes, an object with __cuda_array_interface__
# (CuPy, Numba, torch) or one with data_ptr().
Memory: TypeAlias = Any


def size_of_interface(described: dict[str, Any], what: str) -> int:
    """The size of the memory that __cuda_array_interface__ describes.

    Raises ValueError: it has gaps.
    """
    size = step = int(described["typestr"][2:])
    for extent in described["shape"]:
        size *= extent
    for extent, stride in zip(reversed(described["shape"]), reversed(described.get("strides") or ())):
        if size and extent != 1 and stride != step:
            raise ValueError(f"{what} must be contiguous")
        step *= extent
    return size


def address(thing: Memory, name: str, *, writable: bool) -> tuple[int, int | None, object]:
    """(address, size in bytes if known, what must live as long as the address is used).

    Raises TypeError: it is no memory, or is read-only and writable is wanted.
    """
    if isinstance(thing, _core.Buffer):
        if writable and thing.readonly:
            raise TypeError(f"argument '{name}' must be writable")
        return thing.ptr, thing.nbytes, thing
    if isinstance(thing, Integral) and not isinstance(thing, bool):
        return int(thing), None, None
    pointer: Callable[[], int] | None = getattr(thing, "data_ptr", None)
    if pointer is not None:  # torch: its __cuda_array_interface__ raises for tensors that need gradients
        if not thing.is_contiguous():
            raise ValueError(f"argument '{name}' must be contiguous")
        return pointer(), int(thing.numel()) * int(thing.element_size()), thing
    described = getattr(thing, "__cuda_array_interface__", None)
    if described is not None:
        return described["data"][0], size_of_interface(described, f"argument '{name}'"), thing
    if isinstance(thing, bytes) and not writable:
        return ctypes.cast(ctypes.c_char_p(thing), ctypes.c_void_p).value or 0, len(thing), thing
    try:
        view = memoryview(thing)
    except TypeError:
        if hasattr(thing, "__index__") and not isinstance(thing, bool):
            return index(thing), None, None
        raise TypeError(f"argument '{name}' must be an address or a buffer, not {type(thing).__name__}") from None
    if view.readonly:
        raise TypeError(f"argument '{name}' must be writable")
    if not view.c_contiguous:
        raise ValueError(f"argument '{name}' must be contiguous")
    exported = (ctypes.c_char * view.nbytes).from_buffer(view)  # the buffer cannot be resized while this lives
    return ctypes.addressof(exported), view.nbytes, exported


def size_of_copy(given: SupportsIndex | None, *known: int | None) -> int:
    """The number of bytes of a copy or a fill; given: what the caller said.

    Raises ValueError: it is more than there is, or nothing says how much.
    """
    sizes = [size for size in known if size is not None]
    if given is None:
        if not sizes:
            raise ValueError("argument 'bytes' is missing: addresses have no size")
        return min(sizes)
    count = int(given)
    if sizes and count > min(sizes):
        raise ValueError(f"{count} bytes are more than the {min(sizes)} that the buffer has")
    return count
