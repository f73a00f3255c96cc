# SPDX-License-Identifier: Apache-2.0
"""Libraries with a current stream of their own, led and followed; what exit and fork leave of bridges."""
import gc
import importlib.util
import sys
import threading
import weakref

import gpustream
import pytest
from gpustream import interop
from support import fake_cupy
from support.refusals import raises


class Library:
    """One that keeps a current stream for each device and thread."""

    def __init__(self, name="library"):
        self.name, self.threads, self.calls = name, threading.local(), []
        self.fails = set()

    @property
    def streams(self):
        return self.threads.__dict__.setdefault("streams", {})

    def get(self, device_index):
        self.calls.append("get")
        if "get" in self.fails:
            raise KeyError("get fails")
        return self.streams.get(device_index, 0)

    def set(self, device_index, stream):
        self.calls.append("set")
        if "set" in self.fails:
            raise KeyError("set fails")
        self.streams[device_index] = stream


class ReadOnly:
    name = "read only"

    def __init__(self, stream):
        self.stream = stream

    def get(self, device_index):
        return self.stream.cuda_stream if device_index == self.stream.device_index else 0


@pytest.fixture
def library():
    one = Library()
    interop.register_bridge(one)
    yield one
    one.fails.clear()
    interop.unregister_bridge(one.name)


def test_blocks_move_the_librarys_stream(library):
    one, two, far = gpustream.Stream(), gpustream.Stream(), gpustream.Stream(1)
    with one:
        assert library.streams == {} and library.calls == []
    library.streams[0] = two.cuda_stream
    with interop.lead("library"):
        assert library.streams == {0: two.cuda_stream}
        with one:
            assert library.streams[0] == one.cuda_stream
            with gpustream.stream(far):
                assert library.streams == {0: one.cuda_stream, 1: far.cuda_stream}
            assert library.streams == {0: one.cuda_stream, 1: 0}
        assert library.streams[0] == two.cuda_stream
        gpustream.set_stream(one)
        assert library.streams[0] == one.cuda_stream
    with two:
        assert library.streams[0] == one.cuda_stream


def test_leading_is_counted(library):
    stream, outer = gpustream.Stream(), interop.lead("library")
    with interop.lead("library", "library"), stream:
        assert library.streams[0] == stream.cuda_stream
    with stream:
        assert library.streams[0] == stream.cuda_stream
    outer.end()
    outer.end()
    library.calls.clear()
    with stream:
        assert library.calls == []


def test_following(library):
    one, two = gpustream.Stream(), gpustream.Stream()
    library.streams[0] = one.cuda_stream
    with interop.follow("library"):
        assert gpustream.current_stream() == one and gpustream.current_raw_stream() == one.cuda_stream
        library.streams[0] = two.cuda_stream
        assert gpustream.current_stream() == two
        assert gpustream.Event().record() is None
        with one:
            assert library.streams[0] == one.cuda_stream and gpustream.current_stream() == one
        assert library.streams[0] == two.cuda_stream
        with interop.follow("library"):
            pass
        assert gpustream.current_stream() == two
        other = Library("second")
        interop.register_bridge(other)
        raises(gpustream.InvalidArgumentError, interop.follow, "second")
        interop.unregister_bridge("second")
    gpustream.set_stream(gpustream.default_stream())
    assert gpustream.current_stream() == gpustream.default_stream() and library.streams[0] == two.cuda_stream


def test_a_library_that_cannot_be_set():
    stream = gpustream.Stream()
    interop.register_bridge(ReadOnly(stream))
    try:
        raises(gpustream.NotSupportedError, interop.lead, "read only")
        with interop.follow("read only"):
            assert gpustream.current_stream() == stream
    finally:
        interop.unregister_bridge("read only")


def test_failures_of_a_library(library, no_unraisable):
    stream = gpustream.Stream()
    with interop.lead("library"):
        for name in ("get", "set"):
            library.fails = {name}
            with pytest.raises(gpustream.DriverError, match="library"), stream:
                pass
            assert gpustream.current_stream() == gpustream.default_stream()
            assert {str(one.exc_value) for one in no_unraisable} == {repr(f"{name} fails")}
            no_unraisable.clear()
        library.fails.clear()
        library.get = None  # looked up once, when it was registered
        with stream:
            assert library.streams[0] == stream.cuda_stream


def test_wrong_answers(no_unraisable):
    class Wrong(Library):
        answer = None

        def get(self, device_index):
            return self.answer

    wrong, stream = Wrong("wrong"), gpustream.Stream()
    interop.register_bridge(wrong)
    try:
        with interop.lead("wrong"):
            for answer in (None, "x", -1, 2**64, 1.5, True):
                wrong.answer = answer
                with pytest.raises(gpustream.DriverError), stream:
                    pass
        assert len(no_unraisable) == 6 and {one.exc_type for one in no_unraisable} <= {TypeError, OverflowError, ValueError}
        no_unraisable.clear()
    finally:
        interop.unregister_bridge("wrong")


def test_an_exception_that_is_on_its_way_stays(library):
    stream = gpustream.Stream()
    with interop.lead("library"), pytest.raises(ZeroDivisionError), stream:
        _ = 1 / 0
    assert library.streams[0] == 0


def test_names_and_registrations(library):
    for wrong in ("nothing", "torch", "tvm_ffi_", "cupy"):
        raises((gpustream.InvalidArgumentError, gpustream.UnavailableError), interop.lead, "library", wrong)
        raises((gpustream.InvalidArgumentError, gpustream.UnavailableError), interop.follow, wrong)
    library.calls.clear()
    with gpustream.Stream():
        assert library.calls == []  # what failed led none
    raises(gpustream.InvalidArgumentError, lambda: interop.register_bridge(Library()))
    for name in ("", "x" * 70):
        with pytest.raises(gpustream.InvalidArgumentError):
            interop.register_bridge(Library(name))
    raises((TypeError, AttributeError), lambda: interop.register_bridge(object()))
    with pytest.raises(TypeError, match="argument 'get' must be callable"):
        broken = Library("broken")
        broken.get = 7
        interop.register_bridge(broken)
    raises(gpustream.InvalidArgumentError, interop.unregister_bridge, "nothing")


def test_unregistering_releases_the_functions_and_ends_leading():
    one = Library("gone")
    interop.register_bridge(one)
    switch, stream = interop.lead("gone"), gpustream.Stream()
    with stream:
        interop.unregister_bridge("gone")
    ref = weakref.ref(one)
    del one
    gc.collect()
    assert ref() is None
    switch.end()
    interop.register_bridge(Library("gone"))
    interop.unregister_bridge("gone")


def test_names_that_are_none():
    for call in (interop.lead, interop.follow, interop.unregister_bridge):
        raises(TypeError, "must be str, not NoneType", call, None)


def test_cupy(monkeypatch):
    monkeypatch.setitem(sys.modules, "cupy", fake_cupy)
    ours, theirs, far = gpustream.Stream(), fake_cupy.Stream(gpustream.Stream().cuda_stream, 0), gpustream.Stream(1)
    with interop.lead("cupy"):
        with theirs:
            with ours:
                assert fake_cupy.get_current_stream().ptr == ours.cuda_stream
                with far:
                    assert fake_cupy.get_current_stream(1).ptr == far.cuda_stream and fake_cupy.get_current_stream(0).ptr == ours.cuda_stream
            assert fake_cupy.get_current_stream() is theirs, "the object, not one like it"
        assert fake_cupy.get_current_stream() is fake_cupy.Stream.null
        fake_cupy.Stream(theirs.ptr, 0).use()  # held by being current only
        current = weakref.ref(fake_cupy.get_current_stream())
        with ours:
            gc.collect()
        assert current() is fake_cupy.get_current_stream()
        fake_cupy.Stream.null.use()
    with interop.follow("cupy"), theirs:
        assert gpustream.current_raw_stream() == theirs.ptr
    interop.unregister_bridge("cupy")


def test_exit_and_threads_of_others(run_python):
    """A bridge ends with the interpreter, whatever other threads do; in a forked child there is none."""
    assert run_python("""
import os, threading, time
import gpustream
from gpustream import interop
class Library:
    name = "library"
    def get(self, device): return 0
    def set(self, device, stream): pass
interop.register_bridge(Library())
interop.lead("library")
stream = gpustream.Stream()
def work():
    while True:
        with stream: pass
for _ in range(3): threading.Thread(target=work, daemon=True).start()
child = os.fork()
if child == 0:
    try:
        interop.lead("library")
    except gpustream.Error as error:
        os._exit(0)
    os._exit(1)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
""", PYTHONWARNINGS="ignore").split() == ["0"]  # Python 3.12 and later warn of forks beside threads


def test_dlpack_function():
    """As an array library would call it."""
    import ctypes
    function = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_int32, ctypes.c_int32, ctypes.POINTER(ctypes.c_void_p))(interop.dlpack_current_work_stream())
    out = ctypes.c_void_p(7)
    assert function(1, 0, ctypes.byref(out)) == 0 and out.value is None
    with pytest.raises(gpustream.InvalidDeviceError):
        function(2 if gpustream.Device("cuda").type == "cuda" else 10, 99, ctypes.byref(out))
    raises(gpustream.InvalidArgumentError, function, 1, 0, None)
    stream = gpustream.Stream(1)
    with stream:
        if stream.device.type == "cuda":
            assert function(2, 1, ctypes.byref(out)) == 0 and out.value == stream.cuda_stream


@pytest.mark.host_only  # the CPU package of tvm-ffi has no streams of CUDA
def test_tvm_ffi(run_python):
    if not importlib.util.find_spec("tvm_ffi"):
        pytest.skip("apache-tvm-ffi is not installed (scripts/bootstrap installs it)")
    assert run_python("""
import tvm_ffi
import gpustream
from gpustream import interop
def theirs():
    return tvm_ffi.core._env_get_current_stream(1, 0)
stream, other = gpustream.Stream(), gpustream.Stream()
with interop.lead("tvm_ffi"):
    with stream:
        assert theirs() == stream.cuda_stream, (theirs(), stream.cuda_stream)
        with other:
            assert theirs() == other.cuda_stream
        assert theirs() == stream.cuda_stream
    assert not theirs()
print("led")
with interop.follow("tvm_ffi"), stream:
    assert theirs() == stream.cuda_stream and gpustream.current_stream() == stream
print("followed")
""").split() == ["led", "followed"]
