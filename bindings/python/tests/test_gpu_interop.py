# SPDX-License-Identifier: Apache-2.0
"""Streams to and from PyTorch, CuPy, numba-cuda and cuda.core on a real GPU.

    GPUSTREAM_BACKEND=cuda python -m pytest -rs tests/test_gpu_interop.py

Each order test holds the producer with a sleeping kernel before it writes 7 over 1, so a consumer that does not wait
reads 1: `test_control` shows that it would.
"""
import gc
import importlib

import gpustream
import pytest
from gpustream import interop
from support.real_gpu import LONG, MARKS, SIZE, package, read, torch_writes_late
from support.refusals import raises

pytestmark = MARKS


@pytest.fixture
def torch():
    return package("torch")


@pytest.fixture
def cupy():
    return package("cupy")


@pytest.fixture
def numba_cuda():
    return package("numba.cuda")


@pytest.fixture
def core():
    try:
        module = importlib.import_module("cuda.core")
        module.Device, module.Stream  # noqa: B018
    except (ImportError, AttributeError):
        module = package("cuda.core.experimental")
    module.Device(0).set_current()
    return module


@pytest.fixture
def memory():
    """Device memory that holds ones, done."""
    stream = gpustream.Stream()
    pointer = gpustream._malloc_async(SIZE, stream)
    gpustream._memset_async(pointer, 1, SIZE, stream)
    stream.synchronize()
    yield pointer
    gpustream.synchronize()
    gpustream._free_async(pointer, stream)
    stream.synchronize()


def write_late(pointer, stream):
    with gpustream.stream(stream):
        gpustream._sleep(LONG)
        gpustream._memset_async(pointer, 7, SIZE)


def view(cupy, pointer):
    return cupy.ndarray((SIZE,), cupy.uint8, cupy.cuda.MemoryPointer(cupy.cuda.UnownedMemory(pointer, SIZE, None), 0))


def test_control(memory):
    write_late(memory, gpustream.Stream())
    assert read(memory, gpustream.Stream()) == {1}, "ordered without being asked: the order tests prove nothing"


def test_our_event_orders(memory):
    producer, consumer = gpustream.Stream(), gpustream.Stream()
    write_late(memory, producer)
    consumer.wait_event(producer.record_event())
    assert read(memory, consumer) == {7}

# ---- PyTorch
def test_torch_works_in_our_stream(torch, memory):
    ours, consumer = gpustream.Stream(), gpustream.Stream()
    theirs = torch.cuda.ExternalStream(ours.cuda_stream, device=torch.device("cuda", 0))
    with torch.cuda.stream(theirs):
        tensor = torch_writes_late(torch, theirs)
    assert ours.query() is False
    consumer.wait_stream(ours)
    assert read(tensor.data_ptr(), consumer) == {7}


def test_torchs_stream_is_taken(torch, memory):
    theirs, ours, event = torch.cuda.Stream(), gpustream.Stream(), gpustream.Event()
    write_late(memory, theirs)
    assert theirs.query() is False
    event.record(theirs)
    ours.wait_event(event)
    assert read(memory, ours) == {7}
    assert interop.as_stream(theirs).cuda_stream == theirs.cuda_stream
    assert gpustream.get_stream_from_external(theirs) == gpustream.ExternalStream(theirs.cuda_stream)


def test_torchs_event_and_ours_on_one_stream(torch):
    ours = gpustream.Stream()
    theirs = torch.cuda.ExternalStream(ours.cuda_stream)
    event = torch.cuda.Event()
    with ours:
        gpustream._sleep(LONG)
    event.record(theirs)
    assert event.query() is False
    other = torch.cuda.Stream()
    other.wait_event(event)
    gpustream.Stream().wait_stream(other)
    event.synchronize()
    assert ours.query() is True
    adopted = gpustream.Event._from_native(event.cuda_event, 0)
    assert adopted.query() is True


def test_torchs_devices_and_tensors(torch):
    assert gpustream.Stream(torch.device("cuda", 0)).device_index == 0
    assert gpustream.Stream(torch.device("cuda")).device_index == gpustream.current_device()
    raises(ValueError, "Expected a cuda device, but got: cpu", lambda: gpustream.Stream(torch.device("cpu")))
    with gpustream.device_of(torch.zeros(1, device="cuda")), gpustream.device_of(torch.zeros(1)):
        assert gpustream.current_device() == 0
    assert gpustream.get_device_capability() == torch.cuda.get_device_capability()
    assert gpustream.get_device_name() == torch.cuda.get_device_name()
    assert gpustream.device_count() == torch.cuda.device_count()


def test_default_streams_are_the_same(torch):
    assert interop.as_stream(torch.cuda.default_stream()) == gpustream.default_stream(0)
    assert interop.to_dlpack(gpustream.default_stream()) == 1


def test_dlpack_by_torch(torch):
    ours, consumer = gpustream.Stream(), gpustream.Stream()
    with torch.cuda.stream(torch.cuda.ExternalStream(ours.cuda_stream)):
        tensor = torch_writes_late(torch, ours)
        assert ours.query() is False
        capsule = tensor.__dlpack__(stream=interop.to_dlpack(consumer))  # the producer makes our stream wait
    assert read(tensor.data_ptr(), consumer) == {7}
    del capsule

# ---- CuPy
def test_cupy_works_in_our_stream(cupy, memory):
    ours, consumer = gpustream.Stream(), gpustream.Stream()
    theirs = cupy.cuda.Stream.from_external(ours) if hasattr(cupy.cuda.Stream, "from_external") else cupy.cuda.ExternalStream(ours.cuda_stream)
    with theirs:
        view(cupy, memory).fill(1)  # compiles the kernel, which takes longer than the sleep
    with ours:
        gpustream._sleep(LONG)
    with theirs:
        view(cupy, memory).fill(7)
    assert ours.query() is False
    consumer.wait_stream(ours)
    assert read(memory, consumer) == {7}


def test_cupys_stream_is_taken(cupy, memory):
    theirs, ours = cupy.cuda.Stream(non_blocking=True), gpustream.Stream()
    write_late(memory, theirs)
    assert theirs.done is False
    ours.wait_stream(theirs)
    assert read(memory, ours) == {7}
    with gpustream.stream(theirs):
        assert gpustream.current_stream().cuda_stream == theirs.ptr


def test_cuda_array_interface(cupy, memory):
    ours = gpustream.Stream()
    write_late(memory, ours)

    class Array:
        __cuda_array_interface__ = {"shape": (SIZE,), "typestr": "|u1", "data": (memory, False), "version": 3,
                                    "stream": interop.to_cuda_array_interface(ours)}

    theirs = cupy.cuda.Stream(non_blocking=True)
    with theirs:
        copied = cupy.asarray(Array()).copy()  # the consumer waits for the stream it was given
        assert set(cupy.asnumpy(copied).tolist()) == {7}
    number = view(cupy, memory).__cuda_array_interface__.get("stream")
    wrapped = interop.from_cuda_array_interface(number)
    assert wrapped is None or wrapped.query() in (True, False)

# ---- numba-cuda
# Its copies go through the stream as its kernels do, and need no compiler: numba compiles only beside certain releases
# of NumPy. The host's side is pinned, since a copy of other memory may wait for the stream before it returns.
def numba_array(numba_cuda, pointer):
    class Array:
        __cuda_array_interface__ = {"shape": (SIZE,), "typestr": "|u1", "data": (pointer, False), "version": 3, "stream": None}

    return numba_cuda.as_cuda_array(Array())


def numba_pinned(numba_cuda, value):
    host = numba_cuda.pinned_array(SIZE, dtype="uint8")
    host[:] = value
    return host


def test_numba_works_in_our_stream(numba_cuda, memory):
    ours, consumer = gpustream.Stream(), gpustream.Stream()
    theirs = numba_cuda.external_stream(ours.cuda_stream)
    array, ones, sevens = numba_array(numba_cuda, memory), numba_pinned(numba_cuda, 1), numba_pinned(numba_cuda, 7)
    array.copy_to_device(ones, stream=theirs)  # whatever it loads at the first use is there now
    gc.collect()  # freeing numba's page-locked arrays of earlier tests may wait for the stream
    numba_cuda.current_context().deallocations.clear()
    theirs.synchronize()
    with ours:
        gpustream._sleep(LONG)
    array.copy_to_device(sevens, stream=theirs)
    assert ours.query() is False
    consumer.wait_stream(ours)
    assert read(memory, consumer) == {7}


def test_numbas_stream_is_taken(numba_cuda, memory):
    theirs, ours = numba_cuda.stream(), gpustream.Stream()
    taken = theirs if hasattr(theirs, "__cuda_stream__") else gpustream.ExternalStream(
        getattr(theirs.handle, "value", None) or int(theirs.handle), owner=theirs)
    array, ones, sevens = numba_array(numba_cuda, memory), numba_pinned(numba_cuda, 1), numba_pinned(numba_cuda, 7)
    array.copy_to_device(ones, stream=theirs)
    theirs.synchronize()
    with gpustream.stream(taken):
        gpustream._sleep(LONG)
    array.copy_to_device(sevens, stream=theirs)
    ours.wait_stream(taken)
    assert ours.query() is False
    assert read(memory, ours) == {7}
    theirs.synchronize()

# ---- cuda.core
def test_cuda_core_takes_our_stream(core):
    ours = gpustream.Stream()
    theirs = core.Device(0).create_stream(ours)
    assert int(theirs.handle) == ours.cuda_stream
    with ours:
        gpustream._sleep(LONG)
    event = theirs.record()
    assert event.is_done is False
    theirs.sync()
    assert ours.query() is True and event.is_done is True


def test_cuda_cores_stream_is_taken(core, memory):
    theirs, ours = core.Device(0).create_stream(), gpustream.Stream()
    write_late(memory, theirs)
    event = gpustream.Event()
    event.record(theirs)
    assert event.query() is False
    ours.wait_event(event)
    assert read(memory, ours) == {7}
    theirs.sync()
