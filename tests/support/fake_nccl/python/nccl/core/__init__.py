# SPDX-License-Identifier: Apache-2.0
"""As much of nccl4py 0.6 as examples/nccl/all_reduce.py calls, over the library that NCCL_LIBRARY names: the stand-in for NCCL.

Memory comes by DLPack without a wait, and streams by __cuda_stream__, as nccl4py takes them.
"""
import contextlib
import ctypes
import os
from ctypes import byref, c_char_p, c_int, c_int64, c_size_t, c_uint8, c_void_p, py_object

_nccl = ctypes.CDLL(os.environ["NCCL_LIBRARY"])
SUM, _INT32 = 0, 2
_CUDA, _NO_ORDER = 2, -1  # of DLPack


class _Id(ctypes.Structure):
    _fields_ = [("bytes", c_uint8 * 128)]


class _Managed(ctypes.Structure):
    """The beginning of DLPack's DLManagedTensorVersioned: up to the shape."""

    _fields_ = [("version", c_int * 2), ("manager", c_void_p), ("deleter", c_void_p), ("flags", c_int64), ("data", c_void_p),
                ("device", c_int * 2), ("axes", c_int), ("code", c_uint8), ("bits", c_uint8), ("lanes", c_uint8 * 2),
                ("shape", ctypes.POINTER(c_int64))]


ctypes.pythonapi.PyCapsule_GetPointer.restype = c_void_p
ctypes.pythonapi.PyCapsule_GetPointer.argtypes = [py_object, c_char_p]
_nccl.ncclCommInitRank.argtypes = [c_void_p, c_int, _Id, c_int]
_nccl.ncclAllReduce.argtypes = [c_void_p, c_void_p, c_size_t, c_int, c_int, c_void_p, c_void_p]
_nccl.ncclCommDestroy.argtypes = [c_void_p]


def _check(result):
    if result != 0:
        raise RuntimeError(f"NCCL returned {result}")


def _memory(buffer):
    """Address and number of the elements of a one-dimensional int32 tensor on a GPU."""
    capsule = buffer.__dlpack__(stream=_NO_ORDER, max_version=(1, 0))
    found = _Managed.from_address(ctypes.pythonapi.PyCapsule_GetPointer(capsule, b"dltensor_versioned"))
    assert (found.device[0], found.axes, found.code, found.bits) == (_CUDA, 1, 0, 32), "no int32 tensor on a GPU"
    return found.data, found.shape[0]


class UniqueId:
    def __init__(self, made):
        self._made = made

    @staticmethod
    def from_bytes(data):
        return UniqueId(_Id.from_buffer_copy(data))

    def __bytes__(self):
        return bytes(self._made)


def get_unique_id():
    made = _Id()
    _check(_nccl.ncclGetUniqueId(byref(made)))
    return UniqueId(made)


@contextlib.contextmanager
def group():
    _check(_nccl.ncclGroupStart())
    yield
    _check(_nccl.ncclGroupEnd())


class Communicator:
    def __init__(self, handle):
        self._handle = handle

    @classmethod
    def init(cls, nranks, rank, unique_id):
        handle = c_void_p()
        _check(_nccl.ncclCommInitRank(byref(handle), nranks, unique_id._made, rank))
        return cls(handle)

    @classmethod
    def init_all(cls, devices):
        handles = (c_void_p * devices)()
        _check(_nccl.ncclCommInitAll(handles, devices, (c_int * devices)(*range(devices))))
        return [cls(c_void_p(handle)) for handle in handles]

    def allreduce(self, sendbuf, recvbuf, op, *, stream):
        (source, count), (result, _), (_, handle) = _memory(sendbuf), _memory(recvbuf), stream.__cuda_stream__()
        _check(_nccl.ncclAllReduce(source, result, count, _INT32, op, self._handle, handle))

    def destroy(self):
        _check(_nccl.ncclCommDestroy(self._handle))
