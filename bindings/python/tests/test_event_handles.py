# SPDX-License-Identifier: Apache-2.0
"""Event.from_handle(): events that C or another language has made, by the gs_event_t."""
import ctypes
import gc
import os

import gpustream
import pytest
from support.refusals import raises

CURRENT = 0x7000000000000001  # GS_STREAM_CURRENT


@pytest.fixture
def core():
    library = ctypes.CDLL("libgpustream.so.0", mode=os.RTLD_NOLOAD)
    library.gs_event_create.argtypes = [ctypes.c_uint32, ctypes.POINTER(ctypes.c_uint64)]
    library.gs_event_destroy.argtypes = library.gs_event_retain.argtypes = [ctypes.c_uint64]
    return library


def made_by_c(core, flags=0):
    handle = ctypes.c_uint64()
    assert core.gs_event_create(flags, ctypes.byref(handle)) == 0
    return handle.value


def is_live(core, handle):
    """Whether there is a reference; the one that the question takes is given back."""
    return core.gs_event_retain(handle) == 0 and core.gs_event_destroy(handle) == 0


@pytest.mark.parametrize("kind", [gpustream.Event, gpustream.generic.Event])
def test_an_event_of_c(core, kind, gate):
    handle, stream, held = made_by_c(core), gpustream.Stream(), gate()
    event = kind.from_handle(handle)
    assert type(event) is kind and event.handle == handle and event.device is None and event.query() is True
    held.hold(stream)
    event.record(stream)
    assert core.gs_event_destroy(handle) == 0  # C's reference
    waiter = gpustream.Stream()
    waiter.wait_event(event)
    assert event.query() is False and waiter.query() is False and event.device == stream.device
    held.open()
    waiter.synchronize()
    assert event.query() is True
    event.close()
    assert not is_live(core, handle)
    raises(gpustream.InvalidHandleError, kind.from_handle, handle)


def test_the_object_gives_back_its_own_reference_only(core):
    handle = made_by_c(core)
    for _ in range(3):
        gpustream.Event.from_handle(handle)
    gpustream.Event.from_handle(handle).close()
    gc.collect()
    assert is_live(core, handle)
    assert core.gs_event_destroy(handle) == 0
    assert not is_live(core, handle)


def test_an_event_of_python():
    start, end, stream = gpustream.Event(enable_timing=True), gpustream.Event(enable_timing=True), gpustream.Stream()
    start.record(stream)
    same = gpustream.Event.from_handle(start.handle)
    start.close()
    end.record(stream)
    end.synchronize()
    assert same.elapsed_time(end) >= 0
    raises(gpustream.InvalidHandleError, start.query)


def test_classes_derived_from_events(core):
    class Named(gpustream.Event):
        def __init__(self, name):
            super().__init__()
            self.name = name

    handle = made_by_c(core)
    event = Named.from_handle(handle)
    assert type(event) is Named and event.handle == handle and not hasattr(event, "name")
    assert core.gs_event_destroy(handle) == 0
    event.close()
    assert not is_live(core, handle)


def test_numbers_of_no_event():
    closed = gpustream.Event()
    gone = closed.handle
    closed.close()
    for number in (0, 1, 12345, gone, gpustream.Stream().handle, gpustream.default_stream().handle, 2**63, 2**64 - 1, CURRENT):
        raises(gpustream.InvalidHandleError, gpustream.Event.from_handle, number)


@pytest.mark.parametrize("kind", [gpustream.Event, gpustream.generic.Event])
@pytest.mark.parametrize("number, error", [(-1, OverflowError), (2**64, OverflowError), (None, TypeError), ("1", TypeError), (1.0, TypeError),
                                           (b"12345678", TypeError), (ctypes.c_void_p(1), TypeError)])
def test_what_is_no_number_of_an_event(kind, number, error):
    raises(error, "argument 'handle' must be", kind.from_handle, number)


def test_arguments():
    event = gpustream.Event()
    for arguments in ((), (event.handle, 0)):
        raises(TypeError, gpustream.Event.from_handle, *arguments)
    raises(TypeError, gpustream.Event.from_handle, event)
    assert type(event.from_handle(event.handle)) is gpustream.Event  # a method of the class, also by an object
