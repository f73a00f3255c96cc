# SPDX-License-Identifier: Apache-2.0
"""gpustream.random: torch.cuda's names and rules for the random state of devices."""
import subprocess
import sys

import gpustream
import pytest
from gpustream import random
from support.refusals import raises


@pytest.fixture(autouse=True)
def states():
    before = random.get_rng_state_all()
    yield
    random.set_rng_state_all(before)


def state(seed, offset):
    return seed.to_bytes(8, "little") + offset.to_bytes(8, "little")


def test_seeds():
    gpustream.manual_seed(42)
    assert gpustream.initial_seed() == 42 and gpustream.get_rng_state() == state(42, 0)
    gpustream.manual_seed(-1)  # as torch takes negative ones
    assert gpustream.initial_seed() == 2**64 - 1
    gpustream.manual_seed_all(7)
    assert random.get_rng_state_all() == [state(7, 0)] * gpustream.device_count()
    gpustream.seed_all()
    found = random.get_rng_state_all()
    assert len(set(found)) == 1 and found[0][8:] == bytes(8)
    before = gpustream.initial_seed()
    gpustream.seed()
    assert gpustream.initial_seed() != before  # one in 2**64 seeds is the same


@pytest.mark.parametrize("seed", [2**64, -(2**63) - 1])
def test_seeds_of_more_than_64_bits(seed):
    raises(RuntimeError, "seed .* is not in", gpustream.manual_seed, seed)
    raises(RuntimeError, "seed .* is not in", gpustream.manual_seed_all, seed)


def test_states():
    gpustream.set_rng_state(state(5, 64), 0)
    assert gpustream.get_rng_state(0) == gpustream.get_rng_state(gpustream.Device("cuda" if gpustream.Stream().device.type == "cuda" else "host", 0)) == state(5, 64)
    gpustream.set_rng_state(bytearray(state(6, 8)))
    gpustream.set_rng_state(memoryview(state(6, 8)).cast("Q"))
    assert gpustream.get_rng_state() == state(6, 8)
    gpustream.set_rng_state(bytes(range(8)))  # torch's older states are the seed alone
    assert gpustream.get_rng_state() == bytes(range(8)) + bytes(8)


def test_a_tensor_in_host_memory_is_a_state():
    class Tensor:  # what torch's have
        def numpy(self):
            return memoryview(state(9, 4))

    gpustream.set_rng_state(Tensor())
    assert gpustream.get_rng_state() == state(9, 4)


@pytest.mark.parametrize("size", [0, 7, 15, 17, 5056])
def test_states_of_wrong_length(size):
    before = gpustream.get_rng_state()
    raises(RuntimeError, "^RNG state is wrong size$", lambda: gpustream.set_rng_state(bytes(size)))
    assert gpustream.get_rng_state() == before


def test_wrong_states():
    for wrong in (None, 16, "x" * 16, [0] * 16):
        raises(TypeError, "a random state is 16 bytes", gpustream.set_rng_state, wrong)
    raises(gpustream.InvalidArgumentError, "offset 6 is not a multiple of 4", lambda: gpustream.set_rng_state(state(1, 6)))
    raises(gpustream.InvalidDeviceError, gpustream.get_rng_state, 99)


def test_reservations():
    stream = gpustream.Stream()
    gpustream.set_rng_state(state(3, 100))
    assert random.reserve(5, stream) == random.Philox(False, 3, 100, 0, 0, 0)
    assert random.reserve(1) == (False, 3, 108, 0, 0, 0)
    assert gpustream.get_rng_state() == state(3, 112)
    raises(gpustream.InvalidArgumentError, "2\\^62", random.reserve, 2**62 + 1)


def test_a_graphs_launches_reserve():
    stream = gpustream.Stream()
    graph = gpustream.CUDAGraph()
    gpustream.set_rng_state(state(3, 0))
    with gpustream.graph(graph, stream=stream):
        first, second = random.reserve(4), random.reserve(8)
        stream.launch_host(lambda: None)
    assert first.captured and first.seed_address and first.offset_in_graph == 0 and second.offset_in_graph == 4
    assert gpustream.get_rng_state() == state(3, 0)
    graph.replay()
    assert gpustream.get_rng_state() == state(3, 12)
    gpustream.synchronize()


def test_seeds_before_initialisation_are_kept():
    text = ("import gpustream\ngpustream.manual_seed(1)\ngpustream.manual_seed_all(2)\n"
            "gpustream.set_rng_state((5).to_bytes(8, 'little') + (8).to_bytes(8, 'little'))\n"
            "assert not gpustream.is_initialized()\nassert gpustream.initial_seed() == 5\n"
            "assert gpustream.get_rng_state(1)[:8] == (2).to_bytes(8, 'little')\nprint('kept')")
    run = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True)
    assert run.stdout == "kept\n", run.stderr
