# SPDX-License-Identifier: Apache-2.0
"""gpustream.memory: numbers and limits of the default pools under torch.cuda's names. Pools of one's own: test_memory_pools.py."""
import os
import re
import sys
import types

import gpustream
import pytest
from gpustream import _out_of_memory, accelerator, memory
from support.refusals import raises

MIB = 1 << 20
NUMBERS = ["memory_allocated", "max_memory_allocated", "memory_reserved", "max_memory_reserved"]
OF_A_DEVICE = [*NUMBERS, "memory_stats", "memory_stats_as_nested_dict", "memory_summary", "reset_peak_memory_stats", "reset_accumulated_memory_stats",
               "get_per_process_memory_fraction"]
ALL = {"current", "peak", "allocated", "freed"}


@pytest.fixture
def allocate():
    """allocate(size, ...): an address, freed when the test ends if it is still allocated."""
    made = []

    def make(*arguments, **keywords):
        made.append(gpustream.caching_allocator_alloc(*arguments, **keywords))
        return made[-1]

    yield make
    live = {segment["address"] for segment in gpustream.memory_snapshot()}
    for address in live.intersection(made):
        gpustream.caching_allocator_delete(address)


def test_the_names():
    assert gpustream.memory is memory
    for name in memory.__all__:
        assert getattr(gpustream, name) is getattr(memory, name), name
    for name in set(accelerator.__all__) & set(memory.__all__):
        assert getattr(accelerator, name) is getattr(memory, name), name


def test_bytes_in_use(allocate):
    before = gpustream.memory_allocated()
    first = allocate(1000)
    assert gpustream.memory_allocated() == gpustream.memory_allocated(0) == gpustream.memory_allocated(device="cuda:0") == before + 1024
    allocate(MIB)
    assert gpustream.memory_allocated(gpustream.Device("cuda", 0)) == before + 1024 + MIB <= gpustream.memory_reserved()
    gpustream.caching_allocator_delete(first)
    assert gpustream.memory_allocated() == before + MIB


def test_stats_are_exact(allocate):
    before = gpustream.memory_stats()
    kept, freed = allocate(1000), allocate(513)
    gpustream.caching_allocator_delete(freed)
    again = allocate(600)  # what was freed, rounded up
    assert again == freed
    after = gpustream.memory_stats()
    grown = {key: after[key] - before[key] for key in after if after[key] != before[key] and not key.endswith(".peak")}
    driver = grown.pop("num_device_alloc", 0)
    assert grown.pop("segment.all.allocated", 0) == driver <= 2
    assert grown.pop("num_cache_hits") == 3 - driver
    freed_by_driver = grown.pop("num_device_free", 0)  # what had to make room in the stream's cache
    assert grown.pop("segment.all.freed", 0) == freed_by_driver and grown.pop("segment.all.current", 0) == driver - freed_by_driver
    for key in ("reserved_bytes.all.current", "cached_bytes.all.current"):  # depends on what was cached before
        grown.pop(key, 0)
    blocks, rounded = {"allocated": 3, "current": 2, "freed": 1}, {"allocated": 3072, "current": 2048, "freed": 1024}
    wanted = {"active": blocks, "allocation": blocks, "active_bytes": rounded, "allocated_bytes": rounded,
              "requested_bytes": {"allocated": 2113, "current": 1600, "freed": 513}}
    assert grown == {f"{key}.all.{what}": number for key, numbers in wanted.items() for what, number in numbers.items()}
    gpustream.caching_allocator_delete(kept)


def test_keys_of_the_stats():
    flat, nested = gpustream.memory_stats(), gpustream.memory_stats_as_nested_dict()
    assert list(flat) == sorted(flat) and all(type(value) is int and value >= 0 for value in flat.values())
    for key, value in flat.items():
        found = nested
        for part in key.split("."):
            found = found[part]
        assert found == value
    assert flat["num_sync_all_streams"] == 0
    assert set(nested["inactive_split"]["all"]) == ALL and not any(nested["inactive_split"]["all"].values())
    for key in ("active", "allocation", "allocated_bytes", "requested_bytes", "segment"):
        assert set(nested[key]["all"]) == ALL
        assert nested[key]["all"]["allocated"] - nested[key]["all"]["freed"] <= nested[key]["all"]["current"] <= nested[key]["all"]["peak"]
    assert set(nested["reserved_bytes"]["all"]) == {"current", "peak"}  # bytes so far are not counted, and not called 0


def test_accumulated_numbers_begin_again(allocate):
    gpustream.caching_allocator_delete(allocate(512))
    kept = allocate(512)
    gpustream.reset_accumulated_memory_stats()
    stats = gpustream.memory_stats()
    assert [stats[f"allocation.all.{what}"] for what in ("allocated", "freed")] == [0, 0] == [stats["num_ooms"], stats["num_device_alloc"]]
    assert stats["allocation.all.current"] >= 1
    gpustream.caching_allocator_delete(kept)
    allocate(512, 1)
    stats = gpustream.memory_stats()
    assert [stats[f"allocation.all.{what}"] for what in ("allocated", "freed")] == [0, 1]


def test_before_the_library_is_initialised(run_python):
    assert run_python("""
import gpustream
for name in ("memory_allocated", "max_memory_allocated", "memory_reserved", "max_memory_reserved"):
    for arguments in ((), (0,), ("cuda:99",), (object(),)):  # as in torch, the device is not looked at
        assert getattr(gpustream, name)(*arguments) == 0
assert gpustream.memory_stats() == gpustream.memory_stats_as_nested_dict(5) == gpustream.host_memory_stats() == {}
assert gpustream.host_memory_stats_as_nested_dict() == {} and gpustream.memory_snapshot() == []
gpustream.empty_cache(), gpustream.reset_peak_memory_stats(), gpustream.reset_accumulated_memory_stats()
gpustream.reset_peak_host_memory_stats(), gpustream.reset_accumulated_host_memory_stats()
gpustream.MemPool(), gpustream.get_allocator_backend()
print(gpustream.is_initialized())
gpustream.caching_allocator_alloc(1)
print(gpustream.is_initialized(), gpustream.memory_allocated())
""").split() == ["False", "True", "512"]


@pytest.mark.parametrize("name", OF_A_DEVICE)
def test_wrong_devices(name):
    call = getattr(gpustream, name)
    gpustream.init()
    for device in (99, 2**70, "cuda:99"):
        raises(gpustream.InvalidDeviceError, call, device)
    for device in (1.5, True, object()):
        raises(TypeError, "argument 'device' must be a device", call, device)
    raises(RuntimeError, "Invalid device string", call, "cuda:")
    raises(TypeError, call, 0, 1, 2)
    assert call(-1) is call(None) or type(call(-1)) is type(call())


@pytest.mark.parametrize("name, text", [
    ("memory_cached", "gpustream.memory_cached has been renamed to gpustream.memory_reserved"),
    ("max_memory_cached", "gpustream.max_memory_cached has been renamed to gpustream.max_memory_reserved"),
    ("reset_max_memory_allocated", "gpustream.reset_max_memory_allocated calls gpustream.reset_peak_memory_stats, which resets all peaks"),
    ("reset_max_memory_cached", "gpustream.reset_max_memory_cached calls gpustream.reset_peak_memory_stats, which resets all peaks")])
def test_older_names_warn(name, text, allocate):
    gpustream.caching_allocator_delete(allocate(8 * MIB))
    with pytest.warns(FutureWarning, match=f"^{re.escape(text)}$") as seen:
        result = getattr(gpustream, name)(0)
    assert seen[0].filename == __file__
    if name.startswith("reset"):
        assert result is None and gpustream.max_memory_allocated() == gpustream.memory_allocated()
    else:
        assert result == getattr(gpustream, name.replace("cached", "reserved"))()


def test_empty_cache(allocate):
    gpustream.caching_allocator_delete(allocate(MIB))
    assert gpustream.memory_stats()["cached_bytes.all.current"] >= MIB
    gpustream.synchronize()
    gpustream.empty_cache()
    stats = gpustream.memory_stats()
    assert stats["cached_bytes.all.current"] == 0
    assert stats["reserved_bytes.all.current"] >= stats["allocated_bytes.all.current"]


def test_the_summary(allocate):
    allocate(5 * MIB)
    text = gpustream.memory_summary()
    lines = text.splitlines()
    assert text.endswith("|\n") and len({len(line) for line in lines}) == 1
    stats = gpustream.memory_stats()
    row = next(line for line in lines if line.startswith("| Allocated "))
    assert [cell.strip() for cell in row.split("|")[2:-1]] == [
        _out_of_memory.size_text(stats[f"allocated_bytes.all.{what}"]) for what in ("current", "peak", "allocated", "freed")]
    row = next(line for line in lines if line.startswith("| Allocations "))
    assert [cell.strip() for cell in row.split("|")[2:-1]] == [
        str(stats[f"allocation.all.{what}"]) for what in ("current", "peak", "allocated", "freed")]
    row = next(line for line in lines if line.startswith("| Reserved "))
    assert [cell.strip() for cell in row.split("|")[-3:-1]] == ["-", "-"]
    assert f"out of memory: {stats['num_ooms']}," in text and "device 1" in gpustream.memory_summary(1)
    short = gpustream.memory_summary(abbreviated=True)
    assert "Requested" in text and "Requested" not in short and "Reserved" in short


@pytest.mark.parametrize("size, text", [(0, "0 bytes"), (1023, "1023 bytes"), (1024, "1.00 KiB"), (3 * MIB // 2, "1.50 MiB"), (5 << 40, "5120.00 GiB")])
def test_sizes_as_text(size, text):
    assert _out_of_memory.size_text(size) == text


def test_the_allocators_name():
    assert gpustream.get_allocator_backend() == {"cuda": "cudaMallocAsync", "host": "host"}[gpustream.Device("cuda").type]


class FakeNvml(types.ModuleType):
    """What list_gpu_processes() uses of the package nvidia-ml-py."""

    class NVMLError_DriverNotLoaded(Exception):  # noqa: N801, N818: NVML's name
        pass

    def __init__(self, processes, loaded=True):
        super().__init__("pynvml")
        self.processes, self.loaded = processes, loaded

    def nvmlInit(self):  # noqa: N802
        if not self.loaded:
            raise self.NVMLError_DriverNotLoaded

    def nvmlDeviceGetHandleByIndex(self, index):  # noqa: N802
        return "handle", index

    def nvmlDeviceGetComputeRunningProcesses(self, handle):  # noqa: N802
        assert handle == ("handle", 3)
        return self.processes


def test_processes(monkeypatch):
    monkeypatch.setitem(sys.modules, "pynvml", None)
    assert gpustream.list_gpu_processes() == "pynvml module not found, please install nvidia-ml-py"
    monkeypatch.setitem(sys.modules, "pynvml", FakeNvml([], loaded=False))
    assert gpustream.list_gpu_processes(0) == "cuda driver can't be loaded, is cuda enabled?"
    monkeypatch.setattr("gpustream._memory_texts._get_nvml_device_index", lambda device: 3)
    monkeypatch.setitem(sys.modules, "pynvml", FakeNvml([]))
    assert gpustream.list_gpu_processes(0) == "GPU:3\nno processes are running"
    running = [types.SimpleNamespace(pid=os.getpid(), usedGpuMemory=3 * MIB // 2), types.SimpleNamespace(pid=7, usedGpuMemory=None)]
    monkeypatch.setitem(sys.modules, "pynvml", FakeNvml(running))
    assert gpustream.list_gpu_processes() == (
        f"GPU:3\nprocess {os.getpid():>10d} uses        1.500 MB GPU memory\nprocess          7 uses      unknown    GPU memory")


def test_processes_of_what_nvml_does_not_know(run_python):
    out = run_python("""
import sys, types
sys.modules["pynvml"] = types.SimpleNamespace(nvmlInit=lambda: None, NVMLError_DriverNotLoaded=KeyError)
import gpustream
try:
    gpustream.list_gpu_processes(0)
except RuntimeError as error:
    print("RuntimeError")
""", GPUSTREAM_BACKEND="host")
    assert out.split() == ["RuntimeError"]
