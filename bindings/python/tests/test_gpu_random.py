# SPDX-License-Identifier: Apache-2.0
"""Random states to and from PyTorch on a real GPU.

    GPUSTREAM_BACKEND=cuda python -m pytest -rs tests/test_gpu_random.py
"""
import gpustream
import pytest
from gpustream import random
from support.real_gpu import MARKS, package

pytestmark = MARKS


@pytest.fixture
def torch():
    module = package("torch")
    ours, theirs = random.get_rng_state_all(), module.cuda.get_rng_state_all()
    yield module
    random.set_rng_state_all(ours)
    module.cuda.set_rng_state_all(theirs)


def numbers(torch):
    return torch.rand(1000, device="cuda").tolist()


def test_a_state_of_torch(torch):
    torch.cuda.manual_seed(2**63 + 5)
    numbers(torch)
    state = torch.cuda.get_rng_state()
    gpustream.set_rng_state(state)
    assert gpustream.get_rng_state() == bytes(state.tolist()) and gpustream.initial_seed() == 2**63 + 5
    first = random.reserve(4)
    assert first.seed == 2**63 + 5 and first.offset > 0, "it goes on where torch has stopped"
    assert gpustream.get_rng_state() != bytes(state.tolist())


def test_a_state_for_torch(torch):
    gpustream.manual_seed(99)
    random.reserve(8)
    state = gpustream.get_rng_state()
    torch.cuda.set_rng_state(torch.frombuffer(bytearray(state), dtype=torch.uint8))
    assert bytes(torch.cuda.get_rng_state().tolist()) == state and torch.cuda.initial_seed() == 99
    drawn = numbers(torch)
    generator = torch.cuda.default_generators[gpustream.current_device()]
    torch.cuda.manual_seed(99)
    assert numbers(torch) != drawn, "the offset counts"
    torch.cuda.manual_seed(99)
    generator.set_offset(int.from_bytes(state[8:], "little"))
    assert numbers(torch) == drawn


def test_there_and_back(torch):
    torch.cuda.manual_seed(7)
    state = torch.cuda.get_rng_state()
    drawn = numbers(torch)
    gpustream.set_rng_state(state)
    torch.cuda.set_rng_state(torch.frombuffer(bytearray(gpustream.get_rng_state()), dtype=torch.uint8))
    assert numbers(torch) == drawn
