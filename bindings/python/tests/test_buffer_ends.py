# SPDX-License-Identifier: Apache-2.0
"""gpustream.Buffer in forked children, at exit, without memory, after failures and on a lost device."""
import pytest


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
