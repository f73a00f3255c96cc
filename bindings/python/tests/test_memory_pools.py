# SPDX-License-Identifier: Apache-2.0
"""MemPool and use_mem_pool(): pools of a program's own under torch.cuda's names."""
import gc
import weakref

import gpustream
import pytest
from gpustream import _core
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
