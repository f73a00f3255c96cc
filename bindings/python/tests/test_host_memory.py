# SPDX-License-Identifier: Apache-2.0
"""Statistics of page-locked host memory under torch.cuda's names."""

import gpustream
import pytest
from support.at_once import at_once
from support.refusals import raises


def numbers(what):
    stats = gpustream.host_memory_stats()
    return [stats[f"{what}.{metric}"] for metric in ("current", "peak", "allocated", "freed")]


@pytest.fixture(autouse=True)
def begin():
    gpustream.init()
    gpustream.reset_peak_host_memory_stats()
    gpustream.reset_accumulated_host_memory_stats()


def test_numbers():
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


def test_failures_change_nothing():
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


def test_what_the_library_refuses_to_free_is_counted(monkeypatch):
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


def test_threads():
    before = numbers("allocations")[0]

    def work(_):
        for size in range(1, 60):
            gpustream._free_host(gpustream._malloc_host(size))

    at_once(work, 4)
    assert numbers("allocations")[0] == before and numbers("allocations")[2:] == [4 * 59] * 2
    assert numbers("allocated_bytes")[2:] == [4 * sum(range(1, 60))] * 2
