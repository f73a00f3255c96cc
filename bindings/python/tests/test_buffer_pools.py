# SPDX-License-Identifier: Apache-2.0
"""gpustream.Buffer and the pools that its memory comes from."""
import gpustream
from gpustream import Buffer


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
    out = run_python("""
import threading
import gpustream
made, barrier = [], threading.Barrier(8)
def make():
    barrier.wait()
    made.append(gpustream.Buffer(64, pinned=True))
threads = [threading.Thread(target=make) for _ in range(8)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(len(made), {repr(buffer.device) for buffer in made}, all(len(memoryview(buffer)) == 64 for buffer in made))
""", GPUSTREAM_GIL="release")
    assert out.startswith("8 {") and out.count("device(") + out.count("Device(") == 1 and out.endswith("True\n"), out
