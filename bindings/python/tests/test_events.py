# SPDX-License-Identifier: Apache-2.0
"""Events by torch.cuda's rules (rows B1 to B21 and D1 to D18), and events that C or another language has made."""
import ctypes
import gc
import os
import pickle

import gpustream
import pytest
from support.refusals import raises

FLAGS = {"enable_timing": 1, "blocking": 2, "interprocess": 4, "external": 8}


def test_every_call_form():
    assert gpustream.Event()._flags == 0
    assert gpustream.Event(True)._flags == 1
    assert gpustream.Event(True, True)._flags == 3
    assert gpustream.Event(False, False, True)._flags == 4
    assert gpustream.Event(False, False, False, True)._flags == 8
    for name, bit in FLAGS.items():
        assert gpustream.Event(**{name: True})._flags == bit
        assert gpustream.Event(**{name: 1})._flags == bit
        assert gpustream.Event(**{name: False})._flags == 0
    assert gpustream.Event(enable_timing=True, blocking=True)._flags == 3
    assert gpustream.Event(True, external=True)._flags == 9


def test_generic_defaults():
    generic = gpustream.generic.Event
    assert generic()._flags == 1
    assert generic(enable_timing=False)._flags == 0
    assert generic("cuda", blocking=True)._flags == 3
    assert generic(device="cuda:1", interprocess=True)._flags == 4
    raises(TypeError, generic, "cuda", True)
    raises(ValueError, "Expected a cuda device, but got: cpu", generic, "cpu")


@pytest.mark.parametrize("call", [
    lambda: gpustream.Event("yes"), lambda: gpustream.Event(None), lambda: gpustream.Event(timing=True),
    lambda: gpustream.Event(True, enable_timing=True), lambda: gpustream.Event(1, 1, 1, 1, 1), lambda: gpustream.Event(blocking=1.0),
    lambda: gpustream.Event().record(3), lambda: gpustream.Event().record("stream"), lambda: gpustream.Event().record(gpustream.Event()),
    lambda: gpustream.Event().wait(3), lambda: gpustream.Event().wait(strm=None), lambda: gpustream.Event().record(None, None),
    lambda: gpustream.Event().elapsed_time(None), lambda: gpustream.Event().elapsed_time(), lambda: gpustream.Event().elapsed_time(3),
    lambda: gpustream.Event().query(1), lambda: gpustream.generic.Event(blocking="x"),
])
def test_wrong_arguments_are_type_errors(call):
    raises(TypeError, call)


def test_message_names_the_argument():
    for kind in (gpustream.Stream, gpustream.generic.Stream):
        for call in (gpustream.Event().record, gpustream.Event().wait, gpustream.Stream().wait_stream, gpustream.set_stream):
            raises(TypeError, r"^argument 'stream' must be a stream, not the class Stream$", call, kind)
    raises(TypeError, r"Event\(\): argument 'blocking' must be bool, not str", gpustream.Event, blocking="x")
    raises(TypeError, r"record\(\) got an unexpected keyword argument 'strm'", lambda: gpustream.Event().record(strm=1))


def test_nothing_happens_before_the_first_record():
    event = gpustream.Event(enable_timing=True)
    assert event.query() is True
    assert event.synchronize() is None and event.wait() is None
    assert event.device is None and event.cuda_event == 0 == event.event_id
    assert event._as_parameter_.value is None
    assert repr(event) == "<gpustream.Event uninitialized>"
    assert repr(gpustream.generic.Event()) == "gpustream.generic.Event device_type=None, device_index=None, event_flag=1, event_id=0"


def test_record_forms():
    event, stream = gpustream.Event(), gpustream.Stream()
    for record in (lambda: event.record(), lambda: event.record(None), lambda: event.record(stream=None),
                   lambda: event.record(stream), lambda: event.record(stream=stream)):
        assert record() is None
    for wait in (lambda: event.wait(), lambda: event.wait(None), lambda: event.wait(stream), lambda: event.wait(stream=stream)):
        assert wait() is None


def test_binding():
    event, here, there = gpustream.Event(), gpustream.Stream(0), gpustream.Stream(1)
    event.record(here)
    native = event.cuda_event
    assert event.device == here.device and native == event.event_id > 0
    assert repr(event) == f"<gpustream.Event {native:#x}>"
    event.record(here)
    assert event.cuda_event == native
    raises(gpustream.DeviceMismatchError, r"Event device \w+:0 does not match recording stream's device \w+:1\.", event.record, there)
    raises(RuntimeError, there.record_event, event)
    there.wait_event(event)  # waiting is legal from any device
    assert event.device == here.device


def test_representation_never_raises():
    for event in (gpustream.Event(), gpustream.generic.Event()):
        event.record()
        event.close()
        assert repr(event) == "<gpustream.Event closed>"


def test_elapsed_time(gate):
    start, end, stream, held = gpustream.Event(enable_timing=True), gpustream.Event(True), gpustream.Stream(), gate()
    start.record(stream)
    held.hold(stream)
    end.record(stream)
    raises(RuntimeError, "Both events must be completed before calculating elapsed time.", start.elapsed_time, end)
    held.open()
    end.synchronize()
    elapsed = start.elapsed_time(end_event=end)
    assert isinstance(elapsed, float) and elapsed >= 0 == start.elapsed_time(start) and end.elapsed_time(start) == -elapsed


def test_order_of_timing_errors():
    stream, timed, plain = gpustream.Stream(), gpustream.Event(True), gpustream.Event()
    raises(ValueError, "Both events must be created with argument 'enable_timing=True'.", timed.elapsed_time, plain)
    raises(ValueError, "Both events must be recorded before calculating elapsed time.", lambda: timed.elapsed_time(gpustream.Event(True)))
    plain.record(stream)
    raises(gpustream.TimingDisabledError, plain.elapsed_time, timed)
    other = gpustream.Event(True)
    other.record(gpustream.Stream(1))
    timed.record(stream)
    raises(gpustream.DeviceMismatchError, timed.elapsed_time, other)


def test_interprocess_with_timing_fails_at_first_use():
    for event in (gpustream.Event(enable_timing=True, interprocess=True), gpustream.generic.Event(enable_timing=True, interprocess=True)):
        assert event.query() is True
        assert event.synchronize() is None and event.wait() is None
        for use in (event.record, event.ipc_handle, lambda: event.record(gpustream.Stream()), lambda: gpustream.Stream().record_event(event)):
            raises(RuntimeError, "interprocess event cannot be timed", use)
        assert event.device is None


def test_ipc_handle_binds_and_pickles():
    gpustream.set_device(1)
    event = gpustream.Event(interprocess=True)
    handle = event.ipc_handle()
    assert isinstance(handle, bytes) and len(handle) == 64
    assert event.device.index == 1 and event.cuda_event > 0
    assert pickle.loads(pickle.dumps(handle)) == handle


@pytest.mark.parametrize("handle, error", [
    (b"", ValueError), (b"x" * 63, ValueError), (b"x" * 65, ValueError), (b"x" * 64, (ValueError, RuntimeError)), ("x" * 64, TypeError),
    (None, TypeError), (64, TypeError), ([0] * 64, TypeError),
])
def test_bad_ipc_handles(handle, error):
    raises(error, gpustream.Event.from_ipc_handle, 0, handle)


@pytest.mark.parametrize("number", [65536, 0x20001, 2**40])
def test_bad_devices_of_ipc_handles(number):
    raises(gpustream.InvalidDeviceError, lambda: gpustream.Event.from_ipc_handle(number, bytes(64)))


def test_adopted_event():
    ours = gpustream.Event()
    ours.record(gpustream.Stream())
    adopted = gpustream.Event._from_native(ours.cuda_event, 0)
    adopted.synchronize()
    assert adopted.query() is True and adopted.cuda_event == ours.cuda_event
    raises(gpustream.InvalidHandleError, gpustream.Event._from_native, 0)
    raises(TypeError, gpustream.Event._from_native, "x")


def test_identity():
    one, other = gpustream.Event(), gpustream.Event()
    assert one == one and one != other and one != None and hash(one) != hash(other)  # noqa: E711
    with pytest.raises(TypeError):
        _ = one < other
    assert issubclass(gpustream.Event, gpustream.generic.Event)


def test_closed():
    event = gpustream.Event()
    event.record()
    event.close()
    event.close()
    for call in (event.query, event.record, event.synchronize, event.wait, lambda: event.device, lambda: event.event_id,
                 lambda: gpustream.Stream().wait_event(event), lambda: event.elapsed_time(event)):
        raises(gpustream.InvalidHandleError, "^the event is closed$", call)


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
    raises(error, "argument 'handle'", kind.from_handle, number)


def test_arguments():
    event = gpustream.Event()
    for arguments in ((), (event.handle, 0)):
        raises(TypeError, gpustream.Event.from_handle, *arguments)
    raises(TypeError, gpustream.Event.from_handle, event)
    assert type(event.from_handle(event.handle)) is gpustream.Event  # a method of the class, also by an object
