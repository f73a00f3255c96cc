# SPDX-License-Identifier: Apache-2.0
"""The fake driver for programs that run on it: its failures, and how often it was called."""
import ctypes
import os

fake = ctypes.CDLL(os.environ["GPUSTREAM_LIBCUDA"])
fake.fake_cuda_calls.restype = ctypes.c_uint64


class Fault(ctypes.Structure):
    _fields_ = [("function", ctypes.c_char_p), ("nth", ctypes.c_uint64), ("thread", ctypes.c_uint64), ("code", ctypes.c_int32),
                ("phase", ctypes.c_int32), ("mode", ctypes.c_int32), ("device", ctypes.c_int32)]


def inject(function, code, mode=0):
    fake.fake_cuda_inject(ctypes.byref(Fault(function, 1, 0, code, 0, mode, -1)))
