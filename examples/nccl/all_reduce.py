# SPDX-License-Identifier: Apache-2.0
"""NCCL's all-reduce on gpustream's streams in Python, overlapped with the work before and after it.

    python all_reduce.py one|two        two GPUs of one process, or of two processes

nccl4py takes a stream by its __cuda_stream__, which gpustream's have, and memory by DLPack, which gpustream's buffers have. Exit
status 77: no nccl4py, or fewer than two GPUs.
"""
import multiprocessing
import sys

import gpustream

RANKS = 2
CHUNKS = 16
BYTES = 1 << 20
LIMIT = 60.0  # seconds
SKIP = 77


class Rank:
    """A GPU with three streams: a chunk is filled while the one before it is summed and the one before that is copied."""

    def __init__(self, number, comm):
        self.number, self.comm = number, comm
        self.fill, self.sum, self.copy = (gpustream.Stream(number) for _ in range(3))
        self.chunks = [gpustream.Buffer(BYTES, stream=self.fill).view("int32") for _ in range(CHUNKS)]
        self.results = [gpustream.Buffer(BYTES, stream=self.copy, pinned=True) for _ in range(CHUNKS)]

    def value(self, chunk):
        return 3 * self.number + chunk + 1

    def submit_fill(self, chunk):
        self.chunks[chunk].fill_(self.value(chunk), stream=self.fill)
        self.sum.wait_stream(self.fill)

    def submit_sum(self, chunk, operation):
        self.comm.allreduce(self.chunks[chunk], self.chunks[chunk], operation, stream=self.sum)

    def submit_copy(self, chunk):
        self.copy.wait_stream(self.sum)
        self.results[chunk].copy_(self.chunks[chunk], stream=self.copy)

    def check(self):
        for chunk, result in enumerate(self.results):
            expected = sum(3 * rank + chunk + 1 for rank in range(RANKS)) * 0x01010101
            found = set(memoryview(result).cast("B").cast("i"))
            assert found == {expected}, (self.number, chunk, found)


def run(nccl, ranks):
    """The ranks of this process do all chunks; a queue says when their copies are done. No thread waits for a stream."""
    queue = gpustream.Queue()
    for chunk in range(CHUNKS):
        for rank in ranks:
            rank.submit_fill(chunk)
        with nccl.group():  # one thread may have several ranks
            for rank in ranks:
                rank.submit_sum(chunk, nccl.SUM)
        for rank in ranks:
            rank.submit_copy(chunk)
    for rank in ranks:
        queue.add(rank.copy, rank.number)
    for _ in ranks:
        (entry,) = queue.wait(LIMIT, max_entries=1)  # raises gpustream.TimeLimitError: a rank is lost
        if entry.error:
            raise entry.error
    for rank in ranks:
        rank.check()
        rank.comm.destroy()


def one_process(nccl):
    run(nccl, [Rank(number, comm) for number, comm in enumerate(nccl.Communicator.init_all(RANKS))])


def one_rank(number, connection):
    import nccl.core as nccl

    if number == 0:
        unique = nccl.get_unique_id()
        connection.send_bytes(bytes(unique))
    else:
        unique = nccl.UniqueId.from_bytes(connection.recv_bytes())
    gpustream.Stream(number)  # NCCL goes by the driver's current context, which has to exist before it can be made current
    gpustream.set_device(number)
    run(nccl, [Rank(number, nccl.Communicator.init(RANKS, number, unique))])


def two_processes():
    """Started instead of forked: no process has called CUDA before."""
    context = multiprocessing.get_context("spawn")
    ends = context.Pipe()
    processes = [context.Process(target=one_rank, args=(number, end)) for number, end in enumerate(ends)]
    for process, end in zip(processes, ends):
        process.start()
        end.close()  # so that the other rank's receive ends if this one does
    for process in processes:
        process.join()
    if any(process.exitcode for process in processes):
        sys.exit(f"the ranks ended with {[process.exitcode for process in processes]}")


def main(mode):
    try:
        import nccl.core as nccl
    except ImportError as error:
        print(f"no {error.name}")
        return SKIP
    gpustream.init()
    if gpustream.Device("cuda").type != "cuda" or gpustream.device_count() < RANKS:
        print("no two GPUs")
        return SKIP
    if mode == "one":
        one_process(nccl)
    else:
        two_processes()
    print(f"{CHUNKS} chunks summed over {RANKS} ranks of {mode} process{'' if mode == 'one' else 'es'}")
    return 0


if __name__ == "__main__":
    if sys.argv[1:] not in (["one"], ["two"]):
        sys.exit("usage: all_reduce.py one|two")
    sys.exit(main(sys.argv[1]))
