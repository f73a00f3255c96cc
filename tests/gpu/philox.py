# SPDX-License-Identifier: Apache-2.0
"""gpustream_philox.h compiled by nvcc, on a real GPU: its numbers beside cuRAND's device functions, the host's and PyTorch's,
and what a graph's replays draw.

usage: philox.py FILE      the shared object made of philox.cu. Exit status 0: no check failed
"""

import ctypes as c
import random
import sys
import traceback

import torch

import gs

HANDLE = gs.HANDLE
RELAXED = 2
COUNT = 256  # a block of torch.rand(), so that each of its threads draws once


class Begin(c.Structure):
    _fields_ = [("seed", c.c_uint64), ("sequence", c.c_uint64), ("offset", c.c_uint64)]


class Philox(c.Structure):
    _fields_ = [("struct_size", c.c_uint32), ("captured", c.c_int32), ("seed", c.c_uint64), ("offset", c.c_uint64),
                ("seed_address", c.c_uint64), ("offset_address", c.c_uint64), ("offset_in_graph", c.c_uint64)]


for _name, _types in {
    "gs_rng_set_state": [c.c_int32, c.c_uint64, c.c_uint64],
    "gs_rng_reserve": [HANDLE, c.c_uint64, c.POINTER(Philox)],
    "gs_stream_begin_capture": [HANDLE, c.c_int32],
    "gs_stream_end_capture": [HANDLE, c.POINTER(HANDLE)],
    "gs_graph_instantiate": [HANDLE, c.c_uint32, c.POINTER(HANDLE)],
    "gs_graph_exec_launch": [HANDLE, HANDLE],
    "gs_graph_exec_destroy": [HANDLE],
    "gs_graph_destroy": [HANDLE],
}.items():
    _function = getattr(gs.lib, _name)
    _function.argtypes, _function.restype = _types, c.c_int32

kernels = c.CDLL(sys.argv[1])
kernels.philox_first.argtypes = [c.POINTER(Philox), c.c_int, c.c_void_p, c.c_void_p]


def beginnings():
    """Random ones, and those where a half of a word is about to carry."""
    edges = [0, 1, 3, 4, 2**32 - 1, 2**32, 2**34 - 2, 2**34 + 1, 2**64 - 1]
    chosen = [(a, b, o) for a in edges for b in edges for o in edges if o < 2**63]
    source = random.Random(4)
    chosen += [(source.getrandbits(64), source.getrandbits(64), source.getrandbits(62)) for _ in range(20000)]
    return (Begin * len(chosen))(*chosen)


def differing(function, draws):
    wrong, begins = c.c_uint32(), beginnings()
    failed = function(begins, len(begins), draws, c.byref(wrong))
    assert failed == 0, f"the runtime's status {failed}"
    return wrong.value, len(begins) * draws


def numbers_are_those_of_curand():
    wrong, drawn = differing(kernels.philox_beside_curand, 23)
    assert wrong == 0, f"{wrong} of {2 * drawn} differ"
    print(f"    {2 * drawn} numbers and uniform numbers")


def the_host_draws_the_same():
    wrong, drawn = differing(kernels.philox_beside_host, 23)
    assert wrong == 0, f"{wrong} of {drawn} differ"
    print(f"    {drawn} numbers")


def reserve(stream):
    place = Philox(struct_size=c.sizeof(Philox))
    gs.call("rng_reserve", stream, 4, c.byref(place))
    return place


def draw(stream, place, out):
    failed = kernels.philox_first(c.byref(place), COUNT, out.data_ptr(), gs.out("stream_native", c.c_size_t, stream))
    assert failed == 0, f"the runtime's status {failed}"


def of_torch(seed, offset):
    """What torch.rand() draws from a seed and an offset. Its numbers are in [0, 1): cuRAND's 1 becomes 0."""
    torch.cuda.manual_seed(seed)
    torch.cuda.default_generators[torch.cuda.current_device()].set_offset(offset)
    return torch.rand(COUNT, device="cuda")


def check_equal(ours, theirs):
    ours = torch.where(ours == 1, torch.zeros_like(ours), ours)
    assert torch.equal(ours, theirs), f"{int((ours != theirs).sum())} of {COUNT} differ"


def torch_draws_the_same():
    stream, out = gs.stream(), torch.empty(COUNT, device="cuda")
    torch.cuda.synchronize()
    for seed in (0, 1, 2**40 + 3, 2**64 - 1):
        gs.call("rng_set_state", -1, seed, 0)
        for _ in range(3):
            place = reserve(stream)
            assert (place.captured, place.seed) == (0, seed)
            draw(stream, place, out)
            gs.call("stream_synchronize", stream)
            check_equal(out, of_torch(seed, place.offset))
    gs.call("stream_destroy", stream)


def each_replay_goes_on():
    stream, outs = gs.stream(), [torch.empty(COUNT, device="cuda") for _ in range(2)]
    torch.cuda.synchronize()
    gs.call("rng_set_state", -1, 77, 0)
    gs.call("stream_begin_capture", stream, RELAXED)
    for out in outs:
        place = reserve(stream)
        assert place.captured == 1 and place.seed_address and place.offset_address
        draw(stream, place, out)
    graph = gs.out("stream_end_capture", HANDLE, stream)
    executable = gs.out("graph_instantiate", HANDLE, graph, 0)
    for replay in range(100):
        gs.call("graph_exec_launch", executable, stream)
        gs.call("stream_synchronize", stream)
        check_equal(outs[0], of_torch(77, 8 * replay))
        check_equal(outs[1], of_torch(77, 8 * replay + 4))
    assert reserve(stream).offset == 800, "what the replays have drawn is not drawn again"
    gs.call("graph_exec_destroy", executable)
    gs.call("graph_destroy", graph)
    gs.call("stream_destroy", stream)


def main():
    failed = 0
    for check in (numbers_are_those_of_curand, the_host_draws_the_same, torch_draws_the_same, each_replay_goes_on):
        try:
            check()
            print(f"ok      {check.__name__}", flush=True)
        except Exception:
            failed += 1
            print(f"FAILED  {check.__name__}\n{traceback.format_exc()}", flush=True)
    print(f"{4 - failed} of 4 checks passed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
