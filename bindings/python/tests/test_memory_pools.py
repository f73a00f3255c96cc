# SPDX-License-Identifier: Apache-2.0
"""MemPool, use_mem_pool() and share_pool(): pools of a program's own."""
import gc
import gzip
import os
import weakref
from pathlib import Path

import gpustream
import pytest
from gpustream import _core, interop
from support.refusals import raises

MIB = 1 << 20


def default_is_current(device=0):
    return _core.gs_current_pool(device) == _core.gs_pool_default(device)


def test_memory_comes_from_the_pool():
    pool, before = gpustream.MemPool(), gpustream.memory_allocated()
    assert pool.memory_stats() == {} == pool.memory_stats(1) and pool.snapshot() == []
    with gpustream.use_mem_pool(pool):
        first = gpustream.caching_allocator_alloc(5000)
        second = gpustream._malloc_async(512)
    third = gpustream.caching_allocator_alloc(512)
    stats = pool.memory_stats()
    assert (stats["allocated_bytes.all.current"], stats["requested_bytes.all.current"], stats["allocation.all.current"]) == (5632, 5512, 2)
    assert gpustream.memory_allocated() == before + 512
    assert [segment["address"] for segment in pool.snapshot()] == [first] and pool.snapshot() == gpustream.memory_snapshot(pool.id)
    assert pool.snapshot()[0]["segment_pool_id"] == pool.id
    assert [segment["segment_pool_id"] for segment in gpustream.memory_snapshot((0, 0)) if segment["address"] == third] == [(0, 0)]
    for pointer in (first, third):
        gpustream.caching_allocator_delete(pointer)
    gpustream._free_async(second)
    stats = pool.memory_stats()
    assert (stats["allocated_bytes.all.current"], stats["allocated_bytes.all.peak"], stats["allocation.all.freed"]) == (0, 5632, 2)
    pool.reset_peak_memory_stats()
    assert pool.memory_stats()["allocated_bytes.all.peak"] == 0


def test_a_pool_of_each_device():
    pool = gpustream.MemPool()
    pool.reset_peak_memory_stats(), pool.empty_cache()  # was used nowhere
    with gpustream.use_mem_pool(pool, device="cuda:1"):
        here, there = gpustream.caching_allocator_alloc(512), gpustream.caching_allocator_alloc(1024, 1)
        assert default_is_current(0) and not default_is_current(1)
    assert pool.memory_stats(0) == {} and pool.memory_stats(1)["allocated_bytes.all.current"] == 1024
    with gpustream.device(1):
        assert pool.memory_stats()["allocated_bytes.all.current"] == pool.memory_stats(-1)["allocated_bytes.all.current"] == 1024
    for pointer in (here, there):
        gpustream.caching_allocator_delete(pointer)


def test_a_limit():
    pool = gpustream.MemPool(limit_bytes=MIB)
    with gpustream.use_mem_pool(pool):
        pointer = gpustream.caching_allocator_alloc(MIB)
        with pytest.raises(gpustream.OutOfMemoryError, match=r"1\.00 MiB allowed; Of the allocated memory 1\.00 MiB is allocated by gpustream"):
            gpustream.caching_allocator_alloc(1)
    assert pool.memory_stats()["num_ooms"] == 1
    gpustream.caching_allocator_delete(pointer)


@pytest.mark.parametrize("keywords, flags", [({}, 0), ({"peers": True}, _core.GS_POOL_PEERS), ({"poison": True}, _core.GS_POOL_POISON),
                                             ({"host": True, "poison": True}, _core.GS_POOL_HOST | _core.GS_POOL_POISON)])
def test_flags(keywords, flags):
    with gpustream.use_mem_pool(gpustream.MemPool(None, False, True, **keywords)):
        assert _core.gs_pool_get_stats(_core.gs_current_pool(0))["flags"] == flags
        pointer = gpustream.caching_allocator_alloc(64)
        gpustream._memset_async(pointer, 1, 64)
        gpustream.caching_allocator_delete(pointer)


def test_memory_outlives_its_pool():
    pool = gpustream.MemPool()
    with gpustream.use_mem_pool(pool):
        pointer = gpustream.caching_allocator_alloc(64)
    gone, pool_id = weakref.ref(pool), pool.id
    del pool
    gc.collect()
    assert gone() is None
    gpustream._memset_async(pointer, 1, 64)
    assert [segment["address"] for segment in gpustream.memory_snapshot(pool_id)] == [pointer]
    gpustream.caching_allocator_delete(pointer)
    gpustream.synchronize()


def test_the_block_keeps_the_pool():
    with gpustream.use_mem_pool(gpustream.MemPool()):
        gc.collect()
        gpustream.caching_allocator_delete(gpustream.caching_allocator_alloc(64))
        assert not default_is_current()


def test_empty_cache_is_of_all_pools():
    pool = gpustream.MemPool()
    with gpustream.use_mem_pool(pool):
        gpustream.caching_allocator_delete(gpustream.caching_allocator_alloc(MIB))
    assert pool.memory_stats()["cached_bytes.all.current"] == MIB
    gpustream.synchronize()
    gpustream.empty_cache()
    stats = pool.memory_stats()
    assert (stats["cached_bytes.all.current"], stats["reserved_bytes.all.current"]) == (0, 0)


@pytest.mark.parametrize("arguments, keywords, error, text", [
    ((object(),), {}, gpustream.NotSupportedError, "there is no allocator but"), ((None, True), {}, gpustream.NotSupportedError, "use_on_oom"),
    ((), {"limit_bytes": 1.5}, TypeError, "argument 'limit_bytes' must be int, not float"), ((), {"limit_bytes": True}, TypeError, "not bool"),
    ((), {"limit_bytes": -1}, OverflowError, "limit_bytes"), ((), {"limit_bytes": 2**64}, OverflowError, "limit_bytes"),
    ((), {"size": 1}, TypeError, "size")])
def test_wrong_arguments(arguments, keywords, error, text):
    raises(error, text, gpustream.MemPool, *arguments, **keywords)
    gc.collect()


def test_wrong_pools_and_devices():
    with pytest.raises(TypeError, match=r"use_mem_pool\(\): argument 'pool' must be MemPool, not NoneType"), gpustream.use_mem_pool(None):
        pass
    pool = gpustream.MemPool()
    for device in (99, "cuda:99"):
        with pytest.raises(gpustream.InvalidDeviceError), gpustream.use_mem_pool(pool, device):
            pass
    assert pool.use_count() == 1 and pool.allocator is None and default_is_current()


TESTS = Path(__file__).parent
FOLDERS = [str(TESTS / "support/neighbours"), str(TESTS), str(Path(gpustream.__file__).parents[1])]


@pytest.fixture
def on_fake_driver(run_python):
    def run(code, **environment):
        return run_python(f"import sys\nsys.path[:0] = {FOLDERS!r}\n" + code, GPUSTREAM_BACKEND="cuda",
                          GPUSTREAM_LIBCUDA=pytest.fake_cuda(), **environment)

    return run


ALL_THREE = """
import weakref
import gpustream
from gpustream import interop
MIB = 1 << 20
pool = gpustream.MemPool(limit_bytes=8 * MIB)
for library in ("torch", "cupy", "rmm"):
    interop.share_pool(library, pool)
    interop.share_pool(library) if library != "torch" else None  # the pool stays
import cupy, rmm, torch
def allocated():
    stats = pool.memory_stats(0)
    return stats["allocated_bytes.all.current"], stats["num_ooms"]
"""


def test_one_pool_counts_and_limits_all(on_fake_driver):
    assert on_fake_driver(ALL_THREE + """
tensor = torch.empty(MIB, dtype=torch.uint8, device="cuda")
tensor.record_stream(torch.cuda.Stream())
array = cupy.cuda.alloc(2 * MIB)
stream = cupy.cuda.Stream(non_blocking=True)
with stream:
    other = cupy.cuda.alloc(MIB)
alive = weakref.ref(stream)
del stream
assert alive(), "as long as the memory"
buffer = rmm.DeviceBuffer(size=3 * MIB)
print(allocated())
assert torch.empty(2 * MIB, dtype=torch.uint8, device="cuda").data_ptr() == 0
for refused in (lambda: cupy.cuda.alloc(2 * MIB), lambda: rmm.DeviceBuffer(size=2 * MIB)):
    try:
        refused()
    except MemoryError as error:
        assert "limit of the pool" in str(error)
    else:
        raise AssertionError("the limit is for all")
assert cupy.cuda.alloc(0).ptr == 0
print(allocated())
del tensor, array, other, buffer
assert not alive()
print(allocated())
""").splitlines() == [str((7 << 20, 0)), str((7 << 20, 3)), str((0, 3))]


def test_leaks_of_others_are_listed(on_fake_driver):
    report = on_fake_driver(ALL_THREE + """
tensor = torch.empty(MIB, dtype=torch.uint8, device="cuda")
tensor._pointer = 0
""", GPUSTREAM_LEAKS="1")
    assert "1048576" in report or "1 MiB" in report, report


def test_the_benchmark(run_python, tmp_path):
    """bench/memory/shared, whose table needs a GPU to mean something."""
    trace = tmp_path / "made-up.trace.gz"
    trace.write_bytes(gzip.compress(b'{"format": "gpustream allocations 1"}\n+ 1000 0\n+ 3000000 1\n- 0\n+ 900 0\n'))
    table = run_python(f"""
import runpy, sys
sys.argv = ["shared", {str(trace)!r}]
runpy.run_path({str(TESTS.parents[2] / "bench/memory/shared")!r}, run_name="__main__")
""", GPUSTREAM_BACKEND="cuda", GPUSTREAM_LIBCUDA=pytest.fake_cuda(), PYTHONPATH=os.pathsep.join(FOLDERS))
    rows = [line.split(" | ") for line in table.splitlines()[2:]]
    assert [row[0] for row in rows] == ["| torch", "| cupy", "| rmm"]
    for row in rows:
        assert row[1:3] == ["made-up", "2.9"], "what the trace has at most"
        assert float(row[3]) >= 2.9


def test_what_cannot_be_shared(on_fake_driver):
    on_fake_driver("""
import gpustream, pytest
from gpustream import interop
with pytest.raises(gpustream.InvalidArgumentError, match="torch, cupy, rmm"):
    interop.share_pool("numba")
with pytest.raises(TypeError, match="MemPool"):
    interop.share_pool("torch", 5)
interop.share_pool("torch")
with pytest.raises(RuntimeError, match="already"):
    interop.share_pool("torch", gpustream.MemPool())
""")


@pytest.mark.host_only
def test_not_on_the_host():
    raises(gpustream.NotSupportedError, "CUDA", interop.share_pool, "torch")
