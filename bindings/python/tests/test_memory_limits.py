# SPDX-License-Identifier: Apache-2.0
"""Limits of the default pools under torch.cuda's names, what an OutOfMemoryError says, what memory_stats() counts beside the bytes in use, and page-locked memory."""
import os
import re
import types

import gpustream
import pytest
from gpustream import _out_of_memory, memory
from support.at_once import at_once
from support.refusals import raises

MIB = 1 << 20


@pytest.fixture
def no_limit():
    yield
    for index in range(gpustream.device_count()):
        gpustream._core.gs_pool_set_limit(gpustream._core.gs_pool_default(index), 0)
    memory._fractions.clear()


def test_fractions(no_limit):
    total = gpustream.get_device_properties(0).total_memory
    pool = gpustream._core.gs_pool_default(0)
    assert gpustream.get_per_process_memory_fraction() == 1.0
    for fraction in (0.25, 0.3, 1.0):
        gpustream.set_per_process_memory_fraction(fraction, 0)
        assert gpustream.get_per_process_memory_fraction() == fraction
        assert gpustream._core.gs_pool_get_stats(pool)["limit_bytes"] == int(total * fraction)
    assert gpustream.get_per_process_memory_fraction(1) == 1.0
    gpustream._core.gs_pool_set_limit(pool, total // 4)  # as other languages may
    assert gpustream.get_per_process_memory_fraction() == pytest.approx(0.25)
    gpustream._core.gs_pool_set_limit(pool, 2 * total)
    assert gpustream.get_per_process_memory_fraction() == 1.0


@pytest.mark.parametrize("fraction, error", [(1, TypeError), ("0.5", TypeError), (-0.1, ValueError), (1.1, ValueError), (float("nan"), ValueError)])
def test_wrong_fractions(fraction, error):
    raises(error, "fraction", gpustream.set_per_process_memory_fraction, fraction)


def test_no_room_below_the_fraction(no_limit):
    gpustream.set_per_process_memory_fraction(0.0)
    before = gpustream.memory_stats()["num_ooms"]
    for call in (gpustream.caching_allocator_alloc, gpustream._malloc_async):
        caught = raises(gpustream.OutOfMemoryError, call, 3 * MIB)
        size = r"[\d.]+ (GiB|MiB|KiB|bytes)"
        assert re.fullmatch(
            r"(CUDA out of memory\. Tried to allocate 3\.00 MiB\. GPU|Host out of memory\. Tried to allocate 3\.00 MiB\. Device) 0 has a total "
            rf"capacity of {size}( of which {size} is free)?\. 1 bytes allowed; Of the allocated memory {size} is allocated by gpustream, "
            rf"and {size} is reserved by gpustream but unallocated\. \(.*would exceed the limit of the pool.*\)", str(caught))
        assert caught.status is gpustream.Status.OUT_OF_MEMORY and caught.function == "gs_malloc_async"
    assert gpustream.memory_stats()["num_ooms"] == before + 2
    gpustream.caching_allocator_delete(gpustream.caching_allocator_alloc(512, 1))  # the other device has room
    raises(gpustream.OutOfMemoryError, r"(GPU|Device) 0 has", lambda: gpustream.caching_allocator_alloc(512, stream=gpustream.Stream(0)))


def test_no_memory_of_the_driver(run_python):
    out = run_python("""
import gpustream
for call in (gpustream.caching_allocator_alloc, gpustream._malloc_async):
    try:
        call(1 << 31)
        raise SystemExit(1)
    except gpustream.OutOfMemoryError as error:
        print(error.native_code, error)
print(gpustream.memory_stats()["num_ooms"], gpustream.memory_snapshot())
""", GPUSTREAM_BACKEND="cuda", GPUSTREAM_LIBCUDA=pytest.fake_cuda(), FAKE_CUDA_MEMORY=str(64 * MIB))
    first, second, last = out.splitlines()
    assert first == second and last == "2 []"
    assert first.startswith("2 CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 64.00 MiB of which "), out
    assert "is reserved by gpustream but unallocated. (" in first and " allowed;" not in first


def test_the_text_where_nobody_knows_more(monkeypatch):
    """Neither NVML nor the driver knows the device's memory, and the pool's statistics are gone."""
    def lost(*arguments):
        raise gpustream.StickyError("lost")

    core = gpustream._core
    monkeypatch.setattr(_out_of_memory, "_core", types.SimpleNamespace(
        gs_device_get_telemetry=lost, GS_TELEMETRY_MEMORY=core.GS_TELEMETRY_MEMORY, gs_pool_get_stats=lost, gs_device_get_info=lambda device: {"total_memory_bytes": 3 << 30},
        gs_device_backend=core.gs_device_backend, gs_device_ordinal=core.gs_device_ordinal, gs_default_backend=core.gs_default_backend))
    error = gpustream.OutOfMemoryError("the library's text")
    _out_of_memory.explain(error, 1536, 0, 0)
    assert re.fullmatch(r"\w+ out of memory\. Tried to allocate 1\.50 KiB\. \w+ 0 has a total capacity of 3\.00 GiB\. \(the library's text\)", str(error))


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


def numbers(what):
    stats = gpustream.host_memory_stats()
    return [stats[f"{what}.{metric}"] for metric in ("current", "peak", "allocated", "freed")]


@pytest.fixture
def begin():
    gpustream.init()
    gpustream.reset_peak_host_memory_stats()
    gpustream.reset_accumulated_host_memory_stats()


def test_numbers(begin):
    count, size = numbers("allocations")[0], numbers("allocated_bytes")[0]
    assert numbers("allocations") == [count, count, 0, 0] and numbers("allocated_bytes") == [size, size, 0, 0]
    first, second = gpustream._malloc_host(1000), gpustream._malloc_host(24)
    gpustream._free_host(first)
    assert numbers("allocations") == numbers("active_requests") == [count + 1, count + 2, 2, 1]
    assert numbers("allocated_bytes") == numbers("active_bytes") == [size + 24, size + 1024, 1024, 1000]
    stats = gpustream.host_memory_stats()
    assert (stats["num_host_alloc"], stats["num_host_free"]) == (2, 1) and list(stats) == sorted(stats)
    assert gpustream.host_memory_stats_as_nested_dict()["allocations"]["freed"] == 1
    gpustream.reset_peak_host_memory_stats()
    assert numbers("allocated_bytes") == [size + 24, size + 24, 1024, 1000]
    gpustream.reset_accumulated_host_memory_stats()
    gpustream._free_host(second)
    assert numbers("allocations") == [count, count + 1, 0, 1]


def test_failures_change_nothing(begin):
    before = gpustream.host_memory_stats()
    for size, error in [(2**63, gpustream.InvalidArgumentError), (-1, OverflowError), ("1", TypeError)]:
        raises(error, gpustream._malloc_host, size)
    for pointer, error in [(8, gpustream.InvalidArgumentError), ("8", TypeError), ([], TypeError)]:
        raises(error, gpustream._free_host, pointer)
    gpustream._free_host(None)
    gpustream._free_host(gpustream._malloc_host(0))
    assert gpustream.host_memory_stats() == before
    pointer = gpustream._malloc_host(64)
    gpustream._free_host(pointer)
    raises(gpustream.InvalidArgumentError, gpustream._free_host, pointer)
    assert numbers("allocations")[2:] == [1, 1]


def test_what_the_library_refuses_to_free_is_counted(begin, monkeypatch):
    from gpustream import _host_memory

    def refuse(pointer):
        raise gpustream.NotPermittedError("not here")

    pointer, before = gpustream._malloc_host(64), gpustream.host_memory_stats()
    with monkeypatch.context() as patch:
        patch.setattr(_host_memory._core, "gs_free_host", refuse)
        raises(gpustream.NotPermittedError, gpustream._free_host, pointer)
    assert gpustream.host_memory_stats() == before
    gpustream._free_host(pointer)
    assert numbers("allocations")[3] == 1


def test_threads(begin):
    before = numbers("allocations")[0]

    def work(_):
        for size in range(1, 60):
            gpustream._free_host(gpustream._malloc_host(size))

    at_once(work, 4)
    assert numbers("allocations")[0] == before and numbers("allocations")[2:] == [4 * 59] * 2
    assert numbers("allocated_bytes")[2:] == [4 * sum(range(1, 60))] * 2
