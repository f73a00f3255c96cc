# SPDX-License-Identifier: Apache-2.0
"""Passes gpustream's raw handles to other libraries and wraps theirs, on a real GPU.

Each check proves results and order. The order checks hold the producer with a sleeping kernel, so a missing dependency
would be seen; `control` shows that without the dependency the wrong data is indeed read.

usage: interop.py      exit status 0: no check failed
"""

import ctypes as c
import sys
import traceback

import numpy as np

import gs
from foreign import load

SIZE = 1 << 20
CHECKS = []


class Skip(Exception):
    pass


def check(function):
    CHECKS.append(function)
    return function


def to_host(pointer, dtype, count, stream):
    array = np.empty(count, dtype)
    gs.call("memcpy_async", array.ctypes.data, pointer, array.nbytes, stream)
    gs.call("stream_synchronize", stream)
    return array


def produce_late(ordered):
    """Bytes that the consumer reads while the producer sleeps before writing 7 over 1."""
    producer, consumer, done = gs.stream(), gs.stream(), gs.event()
    pointer = gs.malloc(SIZE, producer)
    gs.call("memset_async", pointer, 1, SIZE, producer)
    gs.call("stream_synchronize", producer)
    gs.call("stream_sleep", producer, gs.LONG)
    gs.call("memset_async", pointer, 7, SIZE, producer)
    gs.call("event_record", done, producer)
    if ordered:
        gs.call("stream_wait_event", consumer, done)
    array = to_host(pointer, np.uint8, SIZE, consumer)
    gs.call("stream_synchronize", producer)
    gs.call("free_async", pointer, producer)
    return array


@check
def order_by_our_event():
    assert (produce_late(ordered=True) == 7).all()


@check
def control_without_the_event():
    assert (produce_late(ordered=False) == 1).all(), "the control saw ordered data: the order checks prove nothing"


@check
def cudart():
    rt = load("libcudart.so.*")
    if rt is None:
        raise Skip("no libcudart")
    for name in ("cudaStreamQuery", "cudaEventRecord", "cudaEventQuery", "cudaStreamWaitEvent", "cudaEventCreate"):
        getattr(rt, name).restype = c.c_int
    ours, other = gs.stream(), gs.stream()
    raw = c.c_void_p(gs.native(ours))
    assert rt.cudaStreamQuery(raw) == 0
    gs.call("stream_sleep", ours, gs.LONG)
    assert rt.cudaStreamQuery(raw) == 600, "cudart does not see gpustream's work as pending"
    theirs = c.c_void_p()
    assert rt.cudaEventCreate(c.byref(theirs)) == 0
    assert rt.cudaEventRecord(theirs, raw) == 0
    wrapped = gs.out("event_from_native", gs.HANDLE, -1, theirs.value)
    assert gs.out("event_query", c.c_int32, wrapped) == 0
    gs.call("stream_wait_event", other, wrapped)
    assert gs.out("stream_query", c.c_int32, other) == 0, "gpustream's stream does not wait for cudart's event"
    gs.call("stream_synchronize", other)
    assert gs.out("event_query", c.c_int32, wrapped) == 1
    our_event = gs.event()
    gs.call("stream_sleep", ours, gs.LONG)
    gs.call("event_record", our_event, ours)
    raw_event = c.c_void_p(gs.out("event_native", c.c_size_t, our_event))
    assert rt.cudaEventQuery(raw_event) == 600
    assert rt.cudaStreamWaitEvent(c.c_void_p(gs.native(other)), raw_event, 0) == 0
    assert gs.out("stream_query", c.c_int32, other) == 0, "cudart's wait for gpustream's event had no effect"
    gs.call("device_synchronize", -1)


@check
def cublas():
    blas = load("libcublas.so.*")
    if blas is None:
        raise Skip("no libcublas")
    n = 512
    rng = np.random.default_rng(7)
    a, b = (rng.standard_normal((n, n), np.float32) for _ in range(2))
    feeder, compute, fed = gs.stream(), gs.stream(), gs.event()
    pa, pb, pc = (gs.malloc(a.nbytes, feeder) for _ in range(3))
    handle = c.c_void_p()
    assert blas.cublasCreate_v2(c.byref(handle)) == 0
    assert blas.cublasSetStream_v2(handle, c.c_void_p(gs.native(compute))) == 0
    gs.call("memset_async", pa, 0, a.nbytes, feeder)
    gs.call("stream_synchronize", feeder)
    gs.call("stream_sleep", feeder, gs.LONG)
    gs.call("memcpy_async", pa, a.ctypes.data, a.nbytes, feeder)
    gs.call("memcpy_async", pb, b.ctypes.data, b.nbytes, feeder)
    gs.call("event_record", fed, feeder)
    gs.call("stream_wait_event", compute, fed)
    one, zero = c.c_float(1), c.c_float(0)
    # Column major: this is C^T = B^T A^T, so C comes out in row order.
    status = blas.cublasSgemm_v2(handle, 0, 0, n, n, n, c.byref(one), c.c_void_p(pb), n, c.c_void_p(pa), n, c.byref(zero),
                                 c.c_void_p(pc), n)
    assert status == 0
    result = to_host(pc, np.float32, n * n, compute).reshape(n, n)
    error = np.linalg.norm(result - a.astype(np.float64) @ b) / np.linalg.norm(a.astype(np.float64) @ b)
    assert error < 1e-3, f"relative error {error}"
    assert blas.cublasDestroy_v2(handle) == 0


@check
def nccl_two_gpus():
    if gs.out("device_count", c.c_int32, 0) < 2:
        raise Skip("needs two GPUs")
    nccl = load("libnccl.so.*")
    if nccl is None:
        raise Skip("no libnccl")
    count = 1 << 20
    comms = (c.c_void_p * 2)()
    assert nccl.ncclCommInitAll(comms, 2, (c.c_int * 2)(0, 1)) == 0
    feeders = [gs.stream(device) for device in (0, 1)]
    streams = [gs.stream(device) for device in (0, 1)]
    values = [np.full(count, value, np.float32) for value in (1.5, 2.25)]
    pointers = []
    for device in (0, 1):
        fed = gs.event()
        pointer = gs.malloc(values[device].nbytes, feeders[device])
        gs.call("memset_async", pointer, 0, values[device].nbytes, feeders[device])
        gs.call("stream_sleep", feeders[device], gs.LONG)
        gs.call("memcpy_async", pointer, values[device].ctypes.data, values[device].nbytes, feeders[device])
        gs.call("event_record", fed, feeders[device])
        gs.call("stream_wait_event", streams[device], fed)
        pointers.append(pointer)
    assert nccl.ncclGroupStart() == 0
    for device in (0, 1):
        where = c.c_void_p(pointers[device])
        assert nccl.ncclAllReduce(where, where, c.c_size_t(count), 7, 0, c.c_void_p(comms[device]),
                                  c.c_void_p(gs.native(streams[device]))) == 0
    assert nccl.ncclGroupEnd() == 0
    for device in (0, 1):
        reduced, reader = gs.event(), gs.stream(device)
        gs.call("event_record", reduced, streams[device])
        gs.call("stream_wait_event", reader, reduced)
        assert (to_host(pointers[device], np.float32, count, reader) == 3.75).all()
    for device in (0, 1):
        nccl.ncclCommDestroy(c.c_void_p(comms[device]))


@check
def pytorch_both_ways():
    try:
        import torch
    except ImportError:
        raise Skip("no torch")
    ours = gs.stream(0)
    external = torch.cuda.ExternalStream(gs.native(ours), device=0)
    x = torch.ones(SIZE, device="cuda:0")
    x.mul_(1)  # loads the kernels, which takes longer than the sleep below
    x + 1
    torch.cuda.synchronize()
    gs.call("stream_sleep", ours, gs.LONG)
    with torch.cuda.stream(external):
        x.mul_(5)
    assert gs.out("stream_query", c.c_int32, ours) == 0, "torch's work did not go to gpustream's stream"
    done, theirs = gs.event(), torch.cuda.Stream(0)
    gs.call("event_record", done, ours)
    wrapped = gs.wrap(theirs.cuda_stream)
    assert gs.out("stream_device", c.c_int32, wrapped) == 0
    gs.call("stream_wait_event", wrapped, done)
    with torch.cuda.stream(theirs):
        y = x + 1
    theirs.synchronize()
    assert bool((y == 6).all())
    back = gs.wrap(external.cuda_stream)
    assert back == ours, "wrapping gpustream's own raw handle yielded another stream"


@check
def cupy_both_ways():
    try:
        import cupy
    except ImportError:
        raise Skip("no cupy")
    ours = gs.stream(0)
    x = cupy.ones(SIZE, cupy.float32)
    x *= 1  # compiles and loads the kernels, which takes longer than the sleep below
    x + 1
    cupy.cuda.Device(0).synchronize()
    gs.call("stream_sleep", ours, gs.LONG)
    with cupy.cuda.ExternalStream(gs.native(ours)):
        x *= 5
    assert gs.out("stream_query", c.c_int32, ours) == 0, "cupy's work did not go to gpustream's stream"
    theirs, done = cupy.cuda.Stream(non_blocking=True), gs.event()
    gs.call("event_record", done, ours)
    gs.call("stream_wait_event", gs.wrap(theirs.ptr), done)
    with theirs:
        y = x + 1
    theirs.synchronize()
    assert bool((y == 6).all())


def main():
    gs.call("init")
    if gs.out("default_backend", c.c_int32) != 2:
        print("the default backend is not CUDA here")
        return 1
    failed = skipped = 0
    for function in CHECKS:
        try:
            function()
            print(f"ok      {function.__name__}")
        except Skip as reason:
            skipped += 1
            print(f"skipped {function.__name__}: {reason}")
        except Exception:
            failed += 1
            print(f"FAILED  {function.__name__}")
            traceback.print_exc()
    print(f"{len(CHECKS) - failed - skipped} passed, {failed} failed, {skipped} skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
