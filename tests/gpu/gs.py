# SPDX-License-Identifier: Apache-2.0
"""gpustream through ctypes, for checks that pass its raw handles to other libraries."""

import ctypes as c
import os

_path = os.environ.get("GPUSTREAM_LIBRARY", "libgpustream.so.0")
lib = c.CDLL(_path)

HANDLE = c.c_void_p
TIMING = 1
NONE_DEVICE = -2


class ErrorInfo(c.Structure):
    _fields_ = [
        ("struct_size", c.c_uint32), ("status", c.c_int32), ("reason", c.c_int32), ("backend", c.c_int32),
        ("native_code", c.c_int32), ("sticky", c.c_int32), ("function", c.c_char * 64),
        ("native_function", c.c_char * 64), ("message", c.c_char * 512), ("origin", c.c_char * 256),
    ]


class Failure(RuntimeError):
    pass


_ARGUMENTS = {
    "gs_init": [],
    "gs_default_backend": [c.POINTER(c.c_int32)],
    "gs_device_count": [c.c_int32, c.POINTER(c.c_int32)],
    "gs_set_current_device": [c.c_int32],
    "gs_device_synchronize": [c.c_int32],
    "gs_stream_create": [c.c_int32, c.c_int32, c.c_uint32, c.POINTER(HANDLE)],
    "gs_stream_destroy": [HANDLE],
    "gs_stream_native": [HANDLE, c.POINTER(c.c_size_t)],
    "gs_stream_from_native": [c.c_int32, c.c_size_t, c.POINTER(HANDLE)],
    "gs_stream_device": [HANDLE, c.POINTER(c.c_int32)],
    "gs_stream_equal": [HANDLE, HANDLE, c.POINTER(c.c_int32)],
    "gs_stream_query": [HANDLE, c.POINTER(c.c_int32)],
    "gs_stream_synchronize": [HANDLE],
    "gs_stream_wait_event": [HANDLE, HANDLE],
    "gs_stream_wait_stream": [HANDLE, HANDLE],
    "gs_stream_sleep": [HANDLE, c.c_uint64],
    "gs_event_create": [c.c_uint32, c.POINTER(HANDLE)],
    "gs_event_destroy": [HANDLE],
    "gs_event_record": [HANDLE, HANDLE],
    "gs_event_query": [HANDLE, c.POINTER(c.c_int32)],
    "gs_event_synchronize": [HANDLE],
    "gs_event_native": [HANDLE, c.POINTER(c.c_size_t)],
    "gs_event_from_native": [c.c_int32, c.c_size_t, c.POINTER(HANDLE)],
    "gs_malloc_async": [c.c_size_t, HANDLE, c.POINTER(c.c_void_p)],
    "gs_free_async": [c.c_void_p, HANDLE],
    "gs_memcpy_async": [c.c_void_p, c.c_void_p, c.c_size_t, HANDLE],
    "gs_memset_async": [c.c_void_p, c.c_int32, c.c_size_t, HANDLE],
    "gs_last_error": [c.POINTER(ErrorInfo)],
}
for _name, _types in _ARGUMENTS.items():
    _function = getattr(lib, _name)
    _function.argtypes = _types
    _function.restype = c.c_int32


def call(name, *arguments):
    """Calls gs_<name>; raises Failure with the library's error text."""
    status = getattr(lib, "gs_" + name)(*arguments)
    if status != 0:
        info = ErrorInfo(struct_size=c.sizeof(ErrorInfo))
        lib.gs_last_error(c.byref(info))
        raise Failure(f"status {status}: {info.message.decode()}")


def out(name, kind, *arguments):
    """Calls gs_<name>(*arguments, &out) and returns out."""
    place = kind()
    call(name, *arguments, c.byref(place))
    return place.value


def stream(device=-1, priority=0, flags=0):
    return out("stream_create", HANDLE, device, priority, flags)


def event(flags=0):
    return out("event_create", HANDLE, flags)


def native(handle):
    return out("stream_native", c.c_size_t, handle)


def wrap(raw, device=NONE_DEVICE):
    return out("stream_from_native", HANDLE, device, raw)


def malloc(size, handle):
    return out("malloc_async", c.c_void_p, size, handle)


# Long enough that work submitted after it is still pending when the caller checks: about 0.15 s at 2 GHz.
LONG = 300_000_000
