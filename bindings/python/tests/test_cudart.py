# SPDX-License-Identifier: Apache-2.0
"""gpustream.cudart(): page-locked memory and streams by address, with the runtime's codes; _get_device()."""
import ctypes
import gc

import gpustream
import pytest
from gpustream import _backends
from support.at_once import at_once
from support.refusals import raises

SIZE = 1 << 16


@pytest.fixture
def runtime():
    return gpustream.cudart()


@pytest.fixture
def memory():
    return ctypes.create_string_buffer(SIZE)


def created(runtime):
    word = ctypes.c_uint64()
    assert runtime.cudaStreamCreate(ctypes.addressof(word)) == 0
    return word.value


def test_host_register(runtime, memory):
    address = ctypes.addressof(memory)
    assert runtime.cudaHostUnregister(address) == 713
    first = runtime.cudaHostRegister(address, SIZE, 0)
    assert first == 0 and type(first) is type(runtime.cudaError.success)
    assert runtime.cudaHostRegister(address, SIZE, 0) == 712
    assert runtime.cudaHostUnregister(address) == 0
    assert runtime.cudaHostUnregister(address) == 713
    assert runtime.cudaHostRegister(address, SIZE, 0) == 0, "it can be registered again"
    gpustream.check_error(runtime.cudaHostUnregister(address))


def test_host_register_rejects(runtime, memory):
    address = ctypes.addressof(memory)
    assert runtime.cudaHostRegister(0, SIZE, 0) == 1 and runtime.cudaHostRegister(address, 0, 0) == 1
    raises(gpustream.CudaError, "invalid argument", lambda: gpustream.check_error(runtime.cudaHostRegister(address, 0, 0)))
    for arguments, name in (((None, SIZE, 0), "ptr"), ((address, "1", 0), "size"), ((address, SIZE, 0.5), "flags")):
        raises(TypeError, f"argument '{name}' must be int", runtime.cudaHostRegister, *arguments)
    for arguments, name in (((-1, SIZE, 0), "ptr"), ((address, 1 << 64, 0), "size"), ((address, SIZE, 1 << 32), "flags")):
        raises(OverflowError, f"argument '{name}' is out of range", runtime.cudaHostRegister, *arguments)


def test_without_a_driver_overlaps_are_seen():
    plain = _backends.Special()
    assert plain.host_register(1 << 40, 100, 0) == 0
    assert plain.host_register((1 << 40) + 99, 1, 0) == 712 and plain.host_register((1 << 40) - 1, 2, 0) == 712
    assert plain.host_register((1 << 40) + 100, 1, 0) == 0 and plain.host_register((1 << 40) - 1, 1, 0) == 0
    for address in ((1 << 40), (1 << 40) + 100, (1 << 40) - 1):
        assert plain.host_unregister(address) == 0


def test_the_context_is_made_and_left_as_it_was(run_python):
    """The first call of a process needs a context of the current device, which nothing has made before."""
    out = run_python("""
import ctypes
import gpustream
memory = ctypes.create_string_buffer(4096)
runtime = gpustream.cudart()
print(int(runtime.cudaHostRegister(ctypes.addressof(memory), 4096, 0)), int(runtime.cudaHostUnregister(ctypes.addressof(memory))))
driver = ctypes.CDLL(gpustream._backends.cuda._name())
print("depth", driver.fake_cuda_context_depth())
""", GPUSTREAM_BACKEND="cuda", GPUSTREAM_LIBCUDA=pytest.fake_cuda())
    assert out.split() == ["0", "0", "depth", "0"], out


def test_streams(runtime):
    native = created(runtime)
    stream = gpustream.ExternalStream(native)
    assert stream.cuda_stream == native and stream.device == gpustream.Device(gpustream.current_device())
    with stream:
        gpustream._sleep(1000)
    stream.synchronize()
    del stream
    gc.collect()
    assert runtime.cudaStreamDestroy(native) == 0
    assert runtime.cudaStreamDestroy(native) == 400, "it was destroyed before"


def test_streams_rejects(runtime):
    assert runtime.cudaStreamCreate(0) == 1
    other = gpustream.Stream()
    assert runtime.cudaStreamDestroy(other.cuda_stream) == 400 and other.query()
    assert runtime.cudaStreamDestroy(0) == 400
    raises(TypeError, "argument 'stream' must be int", runtime.cudaStreamDestroy, None)
    raises(OverflowError, "argument 'ptr' is out of range", runtime.cudaStreamCreate, -8)


def test_streams_of_threads(runtime):
    made = [native for part in at_once(lambda _: [created(runtime) for _ in range(20)], 4) for native in part]
    assert len(set(made)) == 80
    assert all(runtime.cudaStreamDestroy(native) == 0 for native in made)


def test_get_device():
    current = gpustream.current_device()
    assert gpustream._get_device(0) == gpustream.Device(0) and gpustream._get_device("cuda:0") == gpustream.Device("cuda:0")
    assert gpustream._get_device(gpustream.Device(0)) == gpustream.Device(0)
    assert gpustream._get_device("cuda").index is None
    assert gpustream.current_device() == current, "nothing changes"
    raises(RuntimeError, "Invalid device string", gpustream._get_device, "cuda:x")
    raises(TypeError, gpustream._get_device, True)
