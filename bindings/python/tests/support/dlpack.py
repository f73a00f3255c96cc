# SPDX-License-Identifier: Apache-2.0
"""DLPack's capsules, read and made with ctypes."""
import ctypes


class Tensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32), ("ndim", ctypes.c_int32),
                ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16), ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64)]


class Managed(ctypes.Structure):
    _fields_ = [("tensor", Tensor), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


class Versioned(ctypes.Structure):
    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p),
                ("flags", ctypes.c_uint64), ("tensor", Tensor)]


api = ctypes.pythonapi
api.PyCapsule_GetPointer.restype, api.PyCapsule_GetPointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
api.PyCapsule_GetName.restype, api.PyCapsule_GetName.argtypes = ctypes.c_char_p, [ctypes.py_object]
api.PyCapsule_New.restype, api.PyCapsule_New.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
DELETER = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


def read(capsule):
    """(the struct, its tensor) in a capsule."""
    name = api.PyCapsule_GetName(capsule)
    kind = Versioned if name == b"dltensor_versioned" else Managed
    found = kind.from_address(api.PyCapsule_GetPointer(capsule, name))
    return found, found.tensor


def data_of(capsule):
    """The address in a capsule, which lives as long as this reads it."""
    return read(capsule)[1].data


class Producer:
    """Memory of the host as another library would give it; `ended` counts the deleter's calls."""

    alive = []  # a tensor lives until its deleter was called, which is when the stream's work is done

    def __init__(self, version=None, device=(1, 0), shape=(8,), strides=None, code=1, bits=8, lanes=1, flags=0, said=None, offset=0):
        self.memory = (ctypes.c_uint8 * 64)(*range(64))
        self.device, self.ended, self.asked = device if said is None else said, 0, None
        self.shape = (ctypes.c_int64 * max(1, len(shape)))(*shape)
        self.strides = (ctypes.c_int64 * len(strides))(*strides) if strides else None
        self.deleter = DELETER(self.end)
        tensor = Tensor(ctypes.addressof(self.memory), *device, len(shape), code, bits, lanes, self.shape, self.strides, offset)
        deleter = ctypes.cast(self.deleter, ctypes.c_void_p)
        self.managed = Managed(tensor, None, deleter) if version is None else Versioned(*version, None, deleter, flags, tensor)
        self.name = b"dltensor" if version is None else b"dltensor_versioned"
        self.alive.append(self)

    def end(self, _managed):
        self.ended += 1

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, **asked):
        self.asked = asked
        return api.PyCapsule_New(ctypes.addressof(self.managed), self.name, None)


class OldProducer(Producer):
    """From before DLPack 1.0: it knows no versions."""

    def __dlpack__(self, *, stream=None):
        return super().__dlpack__(stream=stream)
