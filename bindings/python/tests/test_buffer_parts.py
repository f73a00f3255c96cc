# SPDX-License-Identifier: Apache-2.0
"""Slices and views of gpustream.Buffer, the pools that its memory comes from, and buffers at exit, without memory and after failures."""
import ctypes
import weakref

import gpustream
import pytest
from gpustream import Buffer
from support.refusals import raises


def test_slices():
    buffer = Buffer.from_bytes(bytes(range(10)))
    assert buffer[2:5].to_bytes() == bytes([2, 3, 4]) and buffer[-3:].to_bytes() == bytes([7, 8, 9])
    assert buffer[8:100].nbytes == 2 and buffer[5:5].to_bytes() == b"" and buffer[7:3].nbytes == 0
    assert buffer[2:8][1:3].ptr == buffer.ptr + 3
    rows = buffer.view("int8", (5, 2))
    assert rows[1:3].shape == (2, 2) and rows[1:3].to_bytes() == bytes([2, 3, 4, 5]) and len(rows) == 5
    buffer[3:6].fill_(9)
    assert buffer.to_bytes() == bytes([0, 1, 2, 9, 9, 9, 6, 7, 8, 9])
    for step in (2, -1):
        with pytest.raises(ValueError, match=f"the step is 1, not {step}"):
            buffer[::step]
    for index in (0, (slice(1), slice(1)), None, "x"):
        with pytest.raises(TypeError, match="indexed by slices"):
            buffer[index]
    raises(TypeError, list, buffer)


def test_parts_keep_the_memory():
    whole = Buffer.from_bytes(b"kept alive")
    seen, part = weakref.ref(whole), whole[5:].view("uint8")
    del whole
    assert seen() is not None and part.to_bytes() == b"alive"
    del part
    assert seen() is None


def test_views():
    buffer = Buffer(48)
    assert buffer.view("float32").shape == (12,) and buffer.view("float64", (2, 3)).dtype == "float64"
    assert buffer.view("complex128").itemsize == 16 and buffer.view("bfloat16", (2, -1)).shape == (2, 12)
    assert buffer.view("int16", 24).shape == (24,) and buffer.view(shape=[6, 8]).shape == (6, 8)
    assert buffer.view("int32")[2:4].view("uint8").nbytes == 8
    scalar = buffer[:4].view("float32", ())
    assert scalar.shape == () and scalar.to_bytes() == buffer[:4].to_bytes()
    raises(TypeError, "no axis", len, scalar)
    empty = buffer[:0].view("int32")
    for shape in (0, 3), (2, 0, 3), (7, 5, 0):
        assert empty.view(shape=shape).shape == shape
    for dtype in (ctypes.c_int, "float33", ""):
        raises(ValueError, "there is no element type .*names, as", buffer.view, dtype)
    for wrong in ("int32", 5), ("int32", (3, 5)), ("int32", (-1, 7)), ("int32", (0, -1)), (None, ()):
        raises(ValueError, "bytes", buffer.view, *wrong)
    raises(ValueError, "multiple of 4 bytes", lambda: buffer[1:5].view("int32"))
    raises(ValueError, "no whole number", lambda: buffer[:7].view("int16"))
    raises(ValueError, "at most 64 axes", buffer.view, shape=(1,) * 64 + (48,))
    raises(OverflowError, buffer.view, shape=(-1, -1))
    for wrong in (3, b"int8"):
        raises(TypeError, "'dtype' must be str", buffer.view, wrong)
    raises(TypeError, buffer.view, "int8", (1.5,))


@pytest.mark.parametrize("where", [{}, {"pinned": True}, {"device": 1}])
def test_no_bytes(where):
    for buffer in (Buffer(0, **where), Buffer.zeros(0, **where), Buffer.from_bytes(b"", **where), Buffer.empty(0, **where).view("complex128", (3, 0))):
        assert (buffer.ptr, buffer.nbytes, buffer.closed) == (0, 0, False) and buffer._as_parameter_.value is None
        assert buffer.fill_(1).copy_(b"").copy_(Buffer(0)).copy_(Buffer(4)[1:1]).to_bytes() == b""
        assert len(buffer[:]) == len(buffer) and gpustream.from_dlpack(buffer).nbytes == 0
        buffer.record_stream(gpustream.Stream())
        with gpustream.graph(gpustream.CUDAGraph(), stream=gpustream.Stream()):
            Buffer(1).fill_(buffer.fill_(1).nbytes)
        buffer.close()
        assert buffer.closed
    assert bytes(Buffer(0, pinned=True)) == b""


def test_a_pool_of_the_memory_module():
    pool = gpustream.MemPool()
    buffer = Buffer(4096, pool=pool)
    assert pool.memory_stats()["allocated_bytes.all.current"] == 4096
    with gpustream.use_mem_pool(pool):
        second = Buffer(512)
    assert pool.memory_stats()["allocated_bytes.all.current"] == 4096 + 512
    del buffer, second
    assert pool.memory_stats()["allocated_bytes.all.current"] == 0


def test_threads_share_the_pool_of_pinned_memory(run_python):
    run_python("""
import gpustream
from support.at_once import at_once
made = at_once(lambda _: gpustream.Buffer(64, pinned=True))
assert len({buffer.device for buffer in made}) == 1 and all(len(memoryview(buffer)) == 64 for buffer in made)
""", GPUSTREAM_GIL="release")


@pytest.mark.parametrize("setting", ["", "release"])
def test_exit_with_live_buffers(run_python, setting):
    assert run_python("""
import sys, threading
import gpustream
from gpustream import Buffer
held = [Buffer.zeros(100), Buffer(1 << 20, stream=gpustream.Stream()), Buffer(5, pinned=True)]
held.append(held[0][1:])
held[1].record_stream(gpustream.Stream())
seen, foreign = memoryview(held[2]), gpustream.from_dlpack(held[2])
class Late:
    def __init__(self): self.buffer = Buffer(10)
    def __del__(self): self.buffer.fill_(1); self.buffer = None
late = sys.late = Late()
late.own = late
local = threading.local()
def keep(): local.buffer = Buffer(10)
thread = threading.Thread(target=keep); thread.start(); thread.join()
""", GPUSTREAM_GIL=setting) == ""


FAULTS = """
import sys
import gpustream
from gpustream import Buffer
from support.fake_driver import fake, inject
from support.refusals import raises
sys.unraisablehook = lambda item: print("unraisable", type(item.exc_value).__name__)
stream = gpustream.Stream()
"""


def run_with_faults(run_python, code):
    return run_python(FAULTS + code, GPUSTREAM_BACKEND="cuda", GPUSTREAM_LIBCUDA=pytest.fake_cuda(), FAKE_CUDA_MEMORY=str(64 << 20))


def test_out_of_memory(run_python):
    run_with_faults(run_python, """
blocks = lambda: gpustream._core.gs_pool_get_stats(gpustream._core.gs_pool_default(0))["blocks"]
before = blocks()
for make, function in ((Buffer, b"cuMemAllocAsync"), (Buffer.zeros, b"cuMemAllocAsync"), (lambda size: Buffer(size, pinned=True), b"cuMemAllocFromPoolAsync")):
    inject(function, 2, 1)
    raises(gpustream.OutOfMemoryError, lambda: make(1 << 20))
    fake.fake_cuda_clear_fault()
assert blocks() == before
held = []
raises(gpustream.OutOfMemoryError, lambda: [held.append(Buffer(8 << 20)) for _ in range(100)])
assert 4 <= len(held) <= 8, len(held)
held.clear()
assert Buffer(8 << 20).nbytes == 8 << 20 and blocks() == before
""")


def test_a_failed_free_is_reported(run_python):
    out = run_with_faults(run_python, """
one, two = Buffer(64), Buffer(64)
gpustream._free_async(one.ptr)  # which the buffer does not know
raises(gpustream.InvalidArgumentError, one.close)
assert one.closed
gpustream._free_async(two.ptr)
del two
""")
    assert out.split() == ["unraisable", "InvalidArgumentError"], out


def test_failed_copies_and_fills(run_python):
    run_with_faults(run_python, """
buffer, data = Buffer.zeros(64, stream=stream), bytes(bytearray(64))
inject(b"cuMemsetD8Async", 1); raises(gpustream.InvalidArgumentError, lambda: buffer.fill_(1))
inject(b"cuMemcpyAsync", 999); raises(gpustream.DriverError, lambda: buffer.copy_(data))
inject(b"cuMemcpyAsync", 999); raises(gpustream.DriverError, buffer.to_bytes)
inject(b"cuMemsetD8Async", 1); raises(gpustream.InvalidArgumentError, lambda: Buffer.zeros(64))
fake.fake_cuda_clear_fault()
assert sys.getrefcount(data) == 2 and buffer.to_bytes() == bytes(64)
""")


def test_no_pools_of_pinned_memory(run_python):
    run_with_faults(run_python, """
inject(b"cuMemPoolCreate", 801, 1)
raises(gpustream.NotSupportedError, lambda: Buffer(64, pinned=True))
fake.fake_cuda_clear_fault()
assert Buffer(64, pinned=True).pinned
""")
