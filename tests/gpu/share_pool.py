#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""PyTorch, CuPy and, if it is installed, RMM allocate from one pool of gpustream, on a real GPU: its statistics count them, and its
limit refuses them.

usage: share_pool.py      exit status 0: it holds; 1: it does not; 77: PyTorch, CuPy, gpustream or a GPU is absent
"""
import importlib
import importlib.util
import sys

MIB = 1 << 20
failed = []


def expect(what, seen, wanted):
    print(f"{'ok  ' if seen == wanted else 'FAIL'} {what}: {seen}" + ("" if seen == wanted else f", not {wanted}"))
    if seen != wanted:
        failed.append(what)


def refused(allocate):
    """How a library was refused; None: it got memory."""
    try:
        memory = allocate()
    except (MemoryError, RuntimeError) as error:
        return type(error).__name__
    return "address 0" if hasattr(memory, "data_ptr") and memory.data_ptr() == 0 else None


def rmm_too(cupy, gpustream, interop, pool, allocated):
    rmm = importlib.import_module("rmm")
    rmm_stream = importlib.import_module("rmm.pylibrmm.stream")
    print(f"     rmm {rmm.__version__}")
    interop.share_pool("rmm", pool)
    before, ooms = allocated(), pool.memory_stats(0)["num_ooms"]
    own = gpustream.Stream()
    for name, stream in (("default", rmm_stream.DEFAULT_STREAM), ("per-thread", rmm_stream.PER_THREAD_DEFAULT_STREAM), ("gpustream's", rmm_stream.Stream(own))):
        buffer = rmm.DeviceBuffer(size=8 * MIB, stream=stream)
        expect(f"MiB after RMM's 8 in the {name} stream", allocated() - before, 8)
        buffer.copy_from_host(bytes([9]) * (8 * MIB), stream=stream)
        stream.synchronize()
        expect(f"CuPy's sum of RMM's buffer ({name} stream)", int(cupy.asarray(buffer).view(cupy.uint8).sum(dtype=cupy.uint64)), 9 * 8 * MIB)
        expect("RMM's copy to the host", buffer.tobytes(stream=stream)[-1], 9)
        how = refused(lambda stream=stream: rmm.DeviceBuffer(size=60 * MIB, stream=stream))
        expect("RMM beyond the limit", how, "MemoryError")
        del buffer
        stream.synchronize()
        expect("MiB after RMM's free", allocated() - before, 0)
    expect("refusals of RMM counted", pool.memory_stats(0)["num_ooms"] - ooms, 3)
    rmm.mr.set_current_device_resource(rmm.mr.CudaMemoryResource())


def run(torch, cupy, gpustream, interop):
    pool = gpustream.MemPool(limit_bytes=64 * MIB)

    def allocated():
        return pool.memory_stats(0)["allocated_bytes.all.current"] // MIB

    interop.share_pool("torch", pool)
    interop.share_pool("cupy", pool)
    torch.cuda.init()
    before = allocated()
    # Sums of float32 are exact here, and need no copy in another type.
    tensor = torch.full((4 * MIB,), 3, dtype=torch.float32, device="cuda")
    expect("MiB after PyTorch's 16", allocated() - before, 16)
    array = cupy.full(2 * MIB, 5, dtype=cupy.float32)
    expect("MiB after CuPy's 8", allocated() - before, 24)
    expect("PyTorch's sum", float(tensor.sum()), 3.0 * 4 * MIB)
    expect("CuPy's sum", float(array.sum()), 5.0 * 2 * MIB)
    expect("the same memory in PyTorch", float(torch.as_tensor(array, device="cuda")[-1]), 5.0)
    for name, allocate in (("PyTorch", lambda: torch.empty(60 * MIB, dtype=torch.uint8, device="cuda")),
                           ("CuPy", lambda: cupy.empty(60 * MIB, dtype=cupy.uint8))):
        how = refused(allocate)
        print(f"     {name} beyond the limit: {how}")
        expect(f"{name} is refused", how is not None, True)
    expect("refusals counted", pool.memory_stats(0)["num_ooms"], 2)
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for _ in range(20):  # freed in its stream and given out again, below the limit
            other = torch.full((8 * MIB,), 7, dtype=torch.uint8, device="cuda")
            last = int(other[-1])
            del other
    expect("a value of PyTorch's other stream", last, 7)
    used = torch.full((8 * MIB,), 1, dtype=torch.uint8, device="cuda")
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        torch.cuda._sleep(200_000_000)
        kept = used.clone()
    used.record_stream(stream)
    del used
    torch.full((8 * MIB,), 2, dtype=torch.uint8, device="cuda")  # not in the same memory
    expect("what a recorded stream read", (int(kept.min()), int(kept.max())), (1, 1))
    del kept
    with cupy.cuda.Stream(non_blocking=True):
        expect("a sum in CuPy's other stream", float(cupy.ones(MIB, dtype=cupy.float32).sum()), float(MIB))
    expect("PyTorch's memory is whole", float(tensor.sum()), 3.0 * 4 * MIB)
    del tensor, array
    torch.cuda.synchronize()
    if importlib.util.find_spec("rmm"):
        rmm_too(cupy, gpustream, interop, pool, allocated)
    else:
        print("     RMM is not installed: left out")
    print(f"     left: {allocated()} MiB; statistics: { {key: value for key, value in pool.memory_stats(0).items() if 'all.peak' in key or 'num' in key} }")
    expect("MiB of large blocks at the end", allocated() // 8, 0)


def main():
    try:
        import cupy
        import torch

        import gpustream
        from gpustream import interop
    except ImportError as error:
        print(f"absent: {error}")
        return 77
    if not torch.cuda.is_available() or not gpustream.is_available() or gpustream.Device("cuda").type != "cuda":
        print("absent: a GPU that both can use")
        return 77
    print(f"torch {torch.__version__}, cupy {cupy.__version__}, gpustream {gpustream.__version__}")
    run(torch, cupy, gpustream, interop)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
