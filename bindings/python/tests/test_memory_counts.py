# SPDX-License-Identifier: Apache-2.0
"""What memory_stats() counts beside the bytes in use, and which of the numbers ask the driver."""
import os


import gpustream

KEYS = ("allocation", "segment", "allocated_bytes", "requested_bytes", "cached_bytes")


def of(stats, what, keys=KEYS):
    return [stats[f"{key}.all.{what}"] for key in keys]


def test_peaks_and_totals():
    pool = gpustream.MemPool()
    with gpustream.use_mem_pool(pool):
        for block in [gpustream.caching_allocator_alloc(1000) for _ in range(3)]:
            gpustream.caching_allocator_delete(block)
        gpustream.caching_allocator_delete(gpustream.caching_allocator_alloc(1000))
    stats = pool.memory_stats()
    assert of(stats, "peak") == [3, 3, 3072, 3000, 3072]
    assert of(stats, "allocated", KEYS[:4]) == [4, 3, 4096, 4000]
    assert of(stats, "freed", KEYS[:4]) == [4, 0, 4096, 4000]
    pool.reset_peak_memory_stats()
    assert of(pool.memory_stats(), "peak") == [0, 3, 0, 0, 3072]
    pool.empty_cache()
    stats = pool.memory_stats()
    assert (stats["num_device_free"], *of(stats, "current"), stats["segment.all.freed"]) == (3, 0, 0, 0, 0, 0, 3)


def test_retries():
    pool = gpustream.MemPool(limit_bytes=1 << 20)
    with gpustream.use_mem_pool(pool):
        gpustream.caching_allocator_delete(gpustream.caching_allocator_alloc(1 << 20))
        gpustream.caching_allocator_delete(gpustream.caching_allocator_alloc(1 << 19))  # only after the first has gone
    stats = pool.memory_stats()
    assert (stats["num_alloc_retries"], stats["num_ooms"], stats["segment.all.freed"]) == (1, 0, 1)


def driver_calls(function):
    before = gpustream._stats()["driver_calls"]
    function()
    return gpustream._stats()["driver_calls"] - before


def test_what_is_allocated_costs_no_driver_call():
    gpustream.caching_allocator_delete(gpustream.caching_allocator_alloc(512))
    for function in (gpustream.memory_allocated, gpustream.max_memory_allocated, lambda: gpustream.memory_allocated(0)):
        assert driver_calls(function) == 0
    reserved = driver_calls(gpustream.memory_reserved)
    assert (reserved > 0) == (os.environ["GPUSTREAM_BACKEND"] == "cuda") and driver_calls(gpustream.memory_stats) >= reserved


def test_buffers_of_the_default_stream_cost_no_driver_call():
    stream = gpustream.default_stream()
    gpustream.Buffer(1 << 20, stream=stream).close()

    def ten():
        for _ in range(10):
            gpustream.Buffer(1 << 20, stream=stream).close()

    assert driver_calls(ten) == 0
