# SPDX-License-Identifier: Apache-2.0
"""NCCL's all-reduce on gpustream's streams in Python, overlapped with the work before and after it.

nccl4py takes a stream by its __cuda_stream__, which gpustream's have. Exit status 77: no nccl4py, CuPy or two GPUs.
"""
import sys

import gpustream

RANKS = 2
CHUNKS = 16
ITEMS = 1 << 18
SKIP = 77


def value(rank: int, chunk: int) -> int:
    return 3 * rank + chunk + 1


def main() -> int:
    try:
        import cupy  # type: ignore[import-not-found]
        import nccl.core as nccl  # type: ignore[import-not-found]
    except ImportError as error:
        print(f"no {error.name}")
        return SKIP
    if gpustream.device_count() < RANKS:
        print("no two GPUs")
        return SKIP

    comms = nccl.Communicator.init_all(RANKS)
    fill, total, copy = ([gpustream.Stream(rank) for rank in range(RANKS)] for _ in range(3))
    chunks = []
    results = []
    for rank in range(RANKS):
        with cupy.cuda.Device(rank):
            chunks.append([cupy.empty(ITEMS, cupy.int32) for _ in range(CHUNKS)])
            results.append([cupy.cuda.alloc_pinned_memory(4 * ITEMS) for _ in range(CHUNKS)])

    queue = gpustream.Queue()
    with gpustream.interop.lead("cupy"):
        for chunk in range(CHUNKS):
            for rank in range(RANKS):
                with fill[rank]:
                    chunks[rank][chunk].fill(value(rank, chunk))
                total[rank].wait_stream(fill[rank])
            with nccl.group():
                for rank in range(RANKS):
                    array = chunks[rank][chunk]
                    comms[rank].allreduce(array, array, nccl.SUM, stream=total[rank])
            for rank in range(RANKS):
                copy[rank].wait_stream(total[rank])
                gpustream._memcpy_async(results[rank][chunk].ptr, chunks[rank][chunk].data.ptr, 4 * ITEMS, copy[rank])
    for rank in range(RANKS):
        queue.add(copy[rank], rank)
    for _ in range(RANKS):
        (entry,) = queue.wait(60, max_entries=1)  # no thread waits for a stream
        if entry.error:
            raise entry.error
        for chunk in range(CHUNKS):
            found = memoryview(results[entry.token][chunk]).cast("B")[: 4 * ITEMS].cast("i")
            assert set(found) == {sum(value(rank, chunk) for rank in range(RANKS))}, (entry.token, chunk)
    print(f"{CHUNKS} chunks summed over {RANKS} ranks")
    for comm in comms:
        comm.destroy()
    return 0


if __name__ == "__main__":
    sys.exit(main())
