# SPDX-License-Identifier: Apache-2.0
"""share_pool(): other libraries allocate from a pool of gpustream. Stand-ins have the interfaces that it calls, on the fake driver."""
import gzip
import os
from pathlib import Path

import gpustream
import pytest
from gpustream import interop
from support.refusals import raises

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
