# SPDX-License-Identifier: Apache-2.0
"""Streams and events made by the driver in GPUSTREAM_LIBCUDA, as another library would."""
import ctypes
import os

_driver = ctypes.CDLL(os.environ["GPUSTREAM_LIBCUDA"])


def call(function, *arguments):
    status = getattr(_driver, function)(*arguments)
    assert status == 0, f"{function} returned {status}"


def _in_primary_context(function, *arguments):
    context, made = ctypes.c_void_p(), ctypes.c_void_p()
    call("cuInit", 0)
    call("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
    call("cuCtxPushCurrent_v2", context)
    call(function, ctypes.byref(made), *arguments)
    call("cuCtxPopCurrent_v2", ctypes.byref(context))
    return made.value


def new_stream():
    return _in_primary_context("cuStreamCreate", 1)


def new_event():
    return _in_primary_context("cuEventCreate", 2)


def record(event, stream):
    call("cuEventRecord", ctypes.c_void_p(event), ctypes.c_void_p(stream))


def synchronize(stream):
    call("cuStreamSynchronize", ctypes.c_void_p(stream))


class Memory:
    """Of an allocator of its own, which gives nothing back."""

    def __init__(self):
        self.reserved, self._kept = 0, {}

    def allocate(self, size, stream=0):
        if self._kept.get((size, stream)):
            return self._kept[size, stream].pop()
        self.reserved += size
        return _in_primary_context("cuMemAlloc_v2", ctypes.c_size_t(size))

    def free(self, address, size, stream=0):
        self._kept.setdefault((size, stream), []).append(address)


def handle_of(stream):
    """By the protocol."""
    version, number = stream.__cuda_stream__()
    assert version == 0
    return number
