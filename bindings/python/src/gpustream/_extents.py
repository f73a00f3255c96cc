# SPDX-License-Identifier: Apache-2.0
"""The range of memory that an array covers, from its first byte to its last one."""
from __future__ import annotations

import ctypes
from typing import Any

from gpustream import _addresses
from gpustream._load import _core


class _Device(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int32), ("id", ctypes.c_int32)]


class _Tensor(ctypes.Structure):  # DLTensor of dlpack.h, the same in all its versions
    _fields_ = [
        ("data", ctypes.c_void_p), ("device", _Device), ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16), ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


_pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
_pointer_of.restype, _pointer_of.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]


def span(address: int, shape: tuple[int, ...], strides: tuple[int, ...] | None, size: int) -> tuple[int, int]:
    """(lowest address, bytes) of elements of `size` bytes; strides in bytes, None: without gaps."""
    if 0 in shape:
        return address, 0
    if strides is None:
        for extent in shape:
            size *= extent
        return address, size
    reach = [(extent - 1) * stride for extent, stride in zip(shape, strides)]
    below = sum(step for step in reach if step < 0)
    return address + below, sum(reach) - 2 * below + size


def _of_capsule(capsule: object) -> tuple[int, int]:
    tensor = _Tensor.from_address(_pointer_of(capsule, b"dltensor"))  # the first member of DLManagedTensor
    size = (tensor.bits * tensor.lanes + 7) // 8
    shape = tuple(tensor.shape[i] for i in range(tensor.ndim))
    strides = tuple(tensor.strides[i] * size for i in range(tensor.ndim)) if tensor.strides else None
    return span((tensor.data or 0) + tensor.byte_offset, shape, strides, size)


def is_memory(thing: Any) -> bool:
    """Whether the object itself has the memory, rather than being a list of such objects."""
    if isinstance(thing, (_core.Buffer, bytes, bytearray, memoryview)):
        return True
    # data_ptr() first: torch's other attributes raise for tensors that need gradients.
    return any(hasattr(thing, protocol) for protocol in ("data_ptr", "__dlpack__", "__array_interface__", "__cuda_array_interface__"))


def extent(thing: Any, name: str) -> tuple[int, int]:
    """(address, bytes) of an object with __cuda_array_interface__, __array_interface__, __dlpack__() or a buffer, or of such a pair.

    Raises TypeError: it is none of these.
    """
    if isinstance(thing, tuple) and len(thing) == 2:
        return int(thing[0]), int(thing[1])
    if isinstance(thing, _core.Buffer):  # whose protocols would wait for its stream
        return thing.ptr, thing.nbytes
    for protocol in ("__cuda_array_interface__", "__array_interface__"):
        try:
            described = getattr(thing, protocol, None)
        except RuntimeError:  # torch, for tensors that need gradients: DLPack or data_ptr() has them
            continue
        if isinstance(described, dict) and described.get("data") is not None:
            return span(described["data"][0], tuple(described["shape"]), described.get("strides"), int(described["typestr"][2:]))
    if hasattr(thing, "__dlpack__") and not hasattr(thing, "data_ptr"):
        return _of_capsule(thing.__dlpack__())
    address, size, _alive = _addresses.address(thing, name, writable=False)
    if size is None:
        raise TypeError(f"argument '{name}': {type(thing).__name__} does not say how many bytes it has; give (address, bytes)")
    return address, size
