# SPDX-License-Identifier: Apache-2.0
"""Bridges to CuPy's interface and tvm-ffi, DLPack's function, and what exit and fork leave of bridges."""
import gc
import importlib.util
import sys
import weakref

import gpustream
import pytest
from gpustream import interop
from support import fake_cupy
from support.refusals import raises


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
