#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The library from plain Python, without a binding: ctypes_smoke.py LIBRARY."""
import ctypes
import sys
from ctypes import byref, c_char, c_char_p, c_double, c_int32, c_uint32, c_uint64, c_void_p

OK = 0
INVALID_HANDLE = 11
SCOPE = 14
TIMING_DISABLED = 21
TIMING = 1
CURRENT = c_void_p(0x7000000000000001)


class ErrorInfo(ctypes.Structure):
    _fields_ = [("struct_size", c_uint32), ("status", c_int32), ("reason", c_int32), ("backend", c_int32),
                ("native_code", c_int32), ("sticky", c_int32), ("function", c_char * 64),
                ("native_function", c_char * 64), ("message", c_char * 512), ("origin", c_char * 256)]


SIGNATURES = {
    "gs_last_error": [ctypes.POINTER(ErrorInfo)],
    "gs_device_count": [c_int32, ctypes.POINTER(c_int32)],
    "gs_stream_create": [c_int32, c_int32, c_uint32, ctypes.POINTER(c_void_p)],
    "gs_stream_destroy": [c_void_p],
    "gs_stream_sleep": [c_void_p, c_uint64],
    "gs_stream_wait_event": [c_void_p, c_void_p],
    "gs_stream_query": [c_void_p, ctypes.POINTER(c_int32)],
    "gs_stream_synchronize": [c_void_p],
    "gs_current_stream": [c_int32, ctypes.POINTER(c_void_p)],
    "gs_push_current_stream": [c_void_p, ctypes.POINTER(c_uint64)],
    "gs_pop_current_stream": [c_uint64],
    "gs_event_create": [c_uint32, ctypes.POINTER(c_void_p)],
    "gs_event_destroy": [c_void_p],
    "gs_event_record": [c_void_p, c_void_p],
    "gs_event_query": [c_void_p, ctypes.POINTER(c_int32)],
    "gs_event_synchronize": [c_void_p],
    "gs_event_elapsed_ms": [c_void_p, c_void_p, ctypes.POINTER(c_double)],
}


class Library:
    def __init__(self, path):
        self.library = ctypes.CDLL(path)
        for name, arguments in SIGNATURES.items():
            function = getattr(self.library, name)
            function.argtypes, function.restype = arguments, c_int32
        self.library.gs_status_name.restype = c_char_p
        self.library.gs_version_string.restype = c_char_p

    def status(self, name, *arguments):
        return getattr(self.library, name)(*arguments)

    def call(self, name, *arguments):
        status = self.status(name, *arguments)
        assert status == OK, f"{name}: {self.library.gs_status_name(status).decode()}: {self.error().message.decode()}"

    def make(self, name, result_type, *arguments):
        result = result_type()
        self.call(name, *arguments, byref(result))
        return result

    def error(self):
        info = ErrorInfo(struct_size=ctypes.sizeof(ErrorInfo))
        assert self.library.gs_last_error(byref(info)) == OK
        return info


def order_between_streams(gs):
    first, second = (gs.make("gs_stream_create", c_void_p, -1, 0, 0) for _ in range(2))
    start, end = (gs.make("gs_event_create", c_void_p, TIMING) for _ in range(2))
    gs.call("gs_event_record", start, first)
    gs.call("gs_stream_sleep", first, 5_000_000)
    gs.call("gs_event_record", end, first)
    gs.call("gs_stream_wait_event", second, end)
    gs.call("gs_stream_synchronize", second)
    assert gs.make("gs_event_query", c_int32, end).value == 1
    assert gs.make("gs_stream_query", c_int32, first).value == 1
    # The host's timer never ends early, and its clock is the one that timed events use.
    assert gs.make("gs_event_elapsed_ms", c_double, start, end).value >= 5.0
    for event in (start, end):
        gs.call("gs_event_destroy", event)
    for stream in (first, second):
        gs.call("gs_stream_destroy", stream)


def errors(gs):
    event = gs.make("gs_event_create", c_void_p, 0)
    milliseconds = c_double(1.0)
    assert gs.status("gs_event_elapsed_ms", event, event, byref(milliseconds)) == TIMING_DISABLED
    assert milliseconds.value == 0.0
    gs.call("gs_event_destroy", event)
    assert gs.status("gs_event_destroy", event) == INVALID_HANDLE
    error = gs.error()
    assert error.status == INVALID_HANDLE and error.function == b"gs_event_destroy"
    assert f"{event.value:#x}".encode() in error.message, error.message
    for handle in (None, 1, 0xDEADBEEF, 2**64 - 1):
        assert gs.status("gs_stream_synchronize", c_void_p(handle)) == INVALID_HANDLE


def scopes(gs):
    stream = gs.make("gs_stream_create", c_void_p, -1, 0, 0)
    before = gs.make("gs_current_stream", c_void_p, -1)
    scope = gs.make("gs_push_current_stream", c_uint64, stream)
    assert gs.make("gs_current_stream", c_void_p, -1).value == stream.value
    gs.call("gs_stream_sleep", CURRENT, 1000)
    assert gs.status("gs_pop_current_stream", c_uint64(scope.value + 1)) == SCOPE
    gs.call("gs_pop_current_stream", scope)
    assert gs.make("gs_current_stream", c_void_p, -1).value == before.value
    gs.call("gs_stream_synchronize", stream)
    gs.call("gs_stream_destroy", stream)


def callbacks(gs):
    """A notification may run Python: it is called on a thread of the library, without holding a stream."""
    import threading
    told = threading.Event()
    statuses = []

    def notified(_, status):
        statuses.append(status)
        told.set()

    function = ctypes.CFUNCTYPE(None, c_void_p, c_int32)(notified)
    stream = gs.make("gs_stream_create", c_void_p, -1, 0, 0)
    gs.library.gs_stream_notify.argtypes = [c_void_p, type(function), c_void_p]
    gs.call("gs_stream_notify", stream, function, None)
    assert told.wait(60) and statuses == [OK]
    gs.call("gs_stream_destroy", stream)


def main(path):
    gs = Library(path)
    assert gs.make("gs_device_count", c_int32, 1).value == 2
    for step in (order_between_streams, errors, scopes, callbacks):
        step(gs)
        print(f"{step.__name__}: good")
    print(f"version {gs.library.gs_version_string().decode()}")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
