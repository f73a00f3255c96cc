# SPDX-License-Identifier: Apache-2.0
"""Devices made current for a while: device(), device_of() and the guards by index (rows F-1 to F-6); and reset_device()."""
from types import SimpleNamespace

import gpustream
import pytest
from support.refusals import raises


def test_device_guard_restores():
    with gpustream.device(1) as entered:
        assert entered is None and gpustream.current_device() == 1
        with gpustream.device("cuda:0"):
            assert gpustream.current_device() == 0
        with pytest.raises(KeyError), gpustream.device(0):
            raise KeyError
        assert gpustream.current_device() == 1
        with gpustream.device(None):
            assert gpustream.current_device() == 1
    assert gpustream.current_device() == 0


def test_device_guard_is_reentrant():
    guard = gpustream.device(1)
    with guard:
        gpustream.set_device(0)
        with guard:
            assert gpustream.current_device() == 1
        assert gpustream.current_device() == 0
    assert gpustream.current_device() == 0
    assert guard.idx == 1


def test_device_guard_goes_back_to_a_device_never_used(run_python):
    out = run_python("""
import gpustream
before = gpustream.current_device()
with gpustream.device(1):
    pass
print(gpustream.current_device() == before)
with gpustream.device(1):
    gpustream.Stream()
print(gpustream.current_device() == before, gpustream.Stream().device.index == before)
""")
    assert out.split() == ["True"] * 3


def test_guard_by_index():
    with gpustream._DeviceGuard(1):
        assert gpustream.current_device() == 1
    with gpustream._DeviceGuard(-1):
        assert gpustream.current_device() == 0
    raises(TypeError, gpustream._DeviceGuard, "cuda:1")


def test_device_of():
    tensor = SimpleNamespace(is_cuda=True, get_device=lambda: 1)
    with gpustream.device_of(tensor):
        assert gpustream.current_device() == 1
    with gpustream.device_of(SimpleNamespace(is_cuda=False, get_device=lambda: 1)):
        assert gpustream.current_device() == 0
    with gpustream.device_of(object()):
        assert gpustream.current_device() == 0
    with gpustream.device_of(gpustream.Stream(1)):
        assert gpustream.current_device() == 1
    event = gpustream.Event()
    with gpustream.device_of(event):
        assert gpustream.current_device() == 0
    event.record(gpustream.Stream(1))
    with gpustream.device_of(event):
        assert gpustream.current_device() == 1


def test_exchange():
    assert gpustream._exchange_device(1) == 0 and gpustream._exchange_device(-1) == -1 == gpustream._maybe_exchange_device(-5)
    assert gpustream.current_device() == 1 == gpustream._maybe_exchange_device(0)
    for exchange in (gpustream._exchange_device, gpustream._maybe_exchange_device):
        raises(TypeError, exchange, "cuda:0")


def test_guards_by_hand():
    """One object entered several times has a place for each entry, and another object at its old address none."""
    guard, nothing = gpustream.device(1), (None, None, None)
    for device in [0, 1] * 20:  # more than are kept without allocation
        gpustream.set_device(device)
        guard.__enter__()
        assert gpustream.current_device() == 1
    for device in [1, 0] * 20:
        assert guard.__exit__(*nothing) is False and gpustream.current_device() == device
    guard.__enter__()
    del guard
    for _ in range(10):
        raises(gpustream.ScopeError, "device: this thread has not entered it", lambda: gpustream.device(1).__exit__(*nothing))
    gpustream.set_device(0)


def test_guards_of_wrong_objects():
    class Broken:
        @property
        def is_cuda(self):
            raise KeyError("asked")

    for make, wrong, error in [
        (gpustream.device, True, TypeError), (gpustream.device, 1.5, TypeError), (gpustream.device, "nonsense", ValueError),
        (gpustream.device_of, Broken(), KeyError), (gpustream.device_of, SimpleNamespace(is_cuda=True), AttributeError),
        (gpustream.device_of, SimpleNamespace(is_cuda=True, get_device=lambda: "x y"), RuntimeError),
    ]:
        raises(error, make, wrong)
    for make in (gpustream.device, gpustream.device_of, gpustream._DeviceGuard):
        for arguments in ((), (1, 2)):
            raises(TypeError, make, *arguments)
    closed = gpustream.Stream()
    closed.close()
    raises(gpustream.InvalidHandleError, gpustream.device_of, closed)
    for index in (99, 2**40):
        with pytest.raises(gpustream.InvalidDeviceError), gpustream.device(index):
            pass
    assert gpustream.current_device() == 0


def test_guards_as_classes():
    class Mine(gpustream.device):
        def __init__(self, first, device):
            super().__init__(device)
            self.first = first

    with Mine(3, 1) as entered:
        assert entered is None and gpustream.current_device() == 1
    assert issubclass(gpustream.device_of, gpustream.device) and gpustream.device(device=1).idx == 1
    assert gpustream.device_of(obj=gpustream.Stream(1)).idx == 1 and gpustream.device(None).idx == -1 == gpustream.device(-7).idx


START = """
import gpustream

def lost(call, *arguments):
    try:
        call(*arguments)
    except gpustream.ContextLostError as error:
        assert error.sticky and "eset" in error.origin, (error.sticky, error.origin)
        return True
    return False
"""


def test_everything_is_told(run_python):
    out = run_python(START + """
stream, other, event = gpustream.Stream(0), gpustream.Stream(1), gpustream.Event()
event.record(stream)
other.synchronize()
buffer = gpustream.Buffer(64, stream=stream)
gpustream.reset_device(0)
assert lost(stream.query) and lost(stream.synchronize) and lost(event.record, stream) and lost(gpustream.Stream, 0)
assert lost(gpustream.synchronize, 0) and lost(gpustream.reset_device, 0) and lost(gpustream.default_stream(0).query)
assert other.query() and gpustream.get_device_name(0)
repr(stream), hash(stream), stream == other
del buffer
stream.close()
with gpustream.device(1):
    gpustream.Stream().synchronize()
print("told")
""")
    assert out.strip() == "told", out


def test_page_locked_memory(run_python):
    """What was registered is its owner's; the host backend's is ordinary memory."""
    run_python(START + """
import ctypes
runtime, memory = gpustream.cudart(), ctypes.create_string_buffer(4096)
address = ctypes.addressof(memory)
gpustream.check_error(runtime.cudaHostRegister(address, 4096, 0))
gpustream.reset_device(0)
if gpustream.Device("cuda").type == "cuda":
    assert lost(runtime.cudaHostUnregister, address) and lost(runtime.cudaHostRegister, address, 4096, 0)
else:
    assert runtime.cudaHostUnregister(address) == 0
memory[0] = b"x"
""")


def test_refusals(run_python):
    raises(gpustream.InvalidDeviceError, gpustream.reset_device, 4000)
    for wrong in (0.5, b"0", [0], "nonsense:0", "0x0", 1 << 70, gpustream.Event()):
        caught = raises((TypeError, ValueError, OverflowError, RuntimeError), gpustream.reset_device, wrong)
        assert not isinstance(caught, gpustream.ContextLostError), wrong
    gpustream._device_check(0)
    out = run_python(START + """
stream = gpustream.Stream(0)
graph = gpustream.CUDAGraph()
memory = gpustream._malloc_host(8)
with gpustream.graph(graph, stream=stream):
    gpustream._memset_async(memory, 1, 8)
    try:
        gpustream.reset_device(0)
    except gpustream.CapturingError:
        print("captured")
stream.synchronize()
""")
    assert out.strip() == "captured", out
