# SPDX-License-Identifier: Apache-2.0
"""Buffers of a GPU between processes, on the fake driver: through memory that the driver shares, in stream order."""
import dataclasses
import os

import gpustream
import pytest
from gpustream_ray import StaleHandoverError, UnreachableError
from peers import eventually
from real_gpu import FAKE



@pytest.fixture
def gpu_peers(peers):
    def start(count=2, **environment):
        return peers(count, **FAKE | environment)

    return start


@pytest.mark.parametrize("other_stream", [False, True])
def test_a_buffer(gpu_peers, other_stream):
    """The source overwrites it at once; no thread waits."""
    source, destination = gpu_peers()
    before = source.synchronizes(), destination.synchronizes()
    message = source.make_gpu_buffer("a", 7, other_stream)
    assert destination.take_gpu_buffer("a", *message) is True
    assert (source.synchronizes(), destination.synchronizes()) == before
    source.open_gate()
    assert destination.bytes_of("a") == ("int16", (64, 32), True, {7})


def test_a_destination_that_does_not_wait_is_found_out(gpu_peers):
    source, destination = gpu_peers()
    destination.forget_to_wait()
    destination.take_gpu_buffer("a", *source.make_gpu_buffer("a", 7))
    assert destination.bytes_of("a")[-1] != {7}
    source.open_gate()


def test_arrays_beside_a_buffer(gpu_peers):
    """All of them travel in the GPU's memory."""
    source, destination = gpu_peers()
    meta = source.make_mixed("a", 9)
    assert meta.on_gpu
    assert destination.take_mixed("a", meta) == ({9}, 9.0, 0)


def test_many_with_slots_used_again(gpu_peers):
    source, destination = gpu_peers()
    for first in range(0, 500, 50):
        destination.take_many_gpu(first, source.make_many_gpu(first, 50))
        source.free(*map(str, range(first, first + 50)))
        assert destination.count_wrong() == 0
        eventually(lambda: destination.stats()["leases"], 0)
    assert source.stats()["slots"] <= 2 * 50, "slots are not used again"
    assert destination.stats()["opened"] <= 2 * 50


def test_a_message_that_comes_too_late(gpu_peers):
    source, destination = gpu_peers()
    late = source.make_gpu_buffer("a", 7)
    source.open_gate()
    destination.take_gpu_buffer("a", *late)
    destination.bytes_of("a")
    eventually(lambda: destination.stats()["leases"], 0)
    source.free("a")
    assert source.make_gpu_buffer("b", 6)[0].slot == late[0].slot
    with pytest.raises(StaleHandoverError, match="generation 2; the message names 1"):
        destination.take_gpu_buffer("late", *late)


def test_memory_is_freed_only_when_no_process_has_it_open(gpu_peers):
    source, destination = gpu_peers()
    source.set_limit(4 << 20)  # two slots
    source.open_gate()
    destination.take_gpu_buffer("a", *source.make_gpu_buffer("a", 7))
    destination.bytes_of("a")
    eventually(lambda: destination.stats()["leases"], 0)
    source.free("a")
    with pytest.raises(gpustream.OutOfMemoryError, match="still read"):
        source.make_large("large", 4 << 20)
    before = source.gpu_memory()
    destination.take_gpu_buffer("b", *source.make_gpu_buffer("b", 8))  # closes what the source has retired
    destination.bytes_of("b")
    assert destination.stats()["opened"] == 1
    source.free("b")
    destination.end()
    eventually(lambda: _made(source, "large", 4 << 20), True)
    assert source.gpu_memory() == before + (2 << 20)
    assert source.stats()["slots"] == 1


def _made(source, name, size):
    try:
        source.make_large(name, size)
    except gpustream.OutOfMemoryError:
        return False
    return True


def test_a_killed_destination_keeps_nothing(gpu_peers, rounds):
    (source,) = gpu_peers(1)
    source.open_gate()
    for _ in range(rounds):
        (destination,) = gpu_peers(1)
        destination.take_gpu_buffer("a", *source.make_gpu_buffer("a", 7))
        source.free("a")
        destination.kill()
    assert source.stats()["slots"] <= 3
    source.set_limit(2 << 20)
    eventually(lambda: _made(source, "large", 2 << 20), True)  # all of them can be freed


def test_a_killed_source(gpu_peers, rounds):
    """A later hand-over fails; what was opened of its memory is closed."""
    (destination,) = gpu_peers(1)
    found = []
    for number in range(rounds):
        (source,) = gpu_peers(1)
        source.open_gate()
        message = source.make_gpu_buffer("a", 7)
        destination.take_gpu_buffer("a", *message)
        assert destination.bytes_of("a")[-1] == {7}
        eventually(lambda: destination.stats()["leases"], 0)
        source.kill()
        with pytest.raises(gpustream.PeerLostError):
            destination.take_gpu_buffer("b", *message)
        assert not os.path.exists(message[0].folder), number
        found.append((destination.descriptors(), destination.shared_by_gpu()))
    assert max(found[1:]) <= (found[0][0] + 2 * 16, found[0][1] + 1), found


def test_a_stream_that_waits_for_a_killed_source(gpu_peers):
    """The fake reports the loss. A driver need not, so that a wait on the host has a limit."""
    source, destination = gpu_peers()
    destination.take_gpu_buffer("a", *source.make_gpu_buffer("a", 7))
    source.kill()
    with pytest.raises((gpustream.TimeLimitError, gpustream.DriverError)):
        destination.wait("a", 0.2)


def test_an_event_behind_a_killed_source(gpu_peers):
    """It stays pending: what it stands for did not run."""
    source, destination = gpu_peers()
    destination.take_gpu_buffer("a", *source.make_gpu_buffer("a", 7))
    destination.record()
    assert not destination.is_recorded_work_done()
    source.kill()
    with pytest.raises(gpustream.DriverError):
        eventually(destination.is_recorded_work_done, True)


def test_a_gpu_that_is_not_there(gpu_peers, peers):
    (source,) = gpu_peers(1)
    meta, *rest = source.make_gpu_buffer("a", 7)
    (on_host,) = peers(1)
    with pytest.raises(UnreachableError, match="which this process does not see"):
        on_host.take_gpu_buffer("a", meta, *rest)
    assert source.stats()["used"] == 1


def test_the_source_takes_its_own(gpu_peers):
    """Ray does not ask for that; the driver refuses, and nothing is left open."""
    (source,) = gpu_peers(1)
    with pytest.raises(gpustream.DriverError, match="cuIpcOpenMemHandle_v2: CUDA_ERROR_INVALID_CONTEXT"):
        source.take_gpu_buffer("a", *source.make_gpu_buffer("a", 7))
    assert source.stats()["opened"] == source.stats()["leases"] == 0


def test_handles_that_are_none(gpu_peers):
    source, destination = gpu_peers()
    meta, *rest = source.make_gpu_buffer("a", 7)
    with open(os.path.join(meta.folder, meta.slot), "r+b") as slot:
        slot.seek(100)
        slot.write(b"x" * 64)
    with pytest.raises(gpustream.DriverError, match="cuIpcOpenMemHandle_v2: CUDA_ERROR_INVALID_VALUE"):
        destination.take_gpu_buffer("a", meta, *rest)
    assert destination.stats()["opened"] == 0
    with pytest.raises(StaleHandoverError, match="is gone"):
        destination.take_gpu_buffer("a", dataclasses.replace(meta, slot="17"), *rest)


def test_buffers_of_two_gpus(gpu_peers):
    (source,) = gpu_peers(1)
    with pytest.raises(ValueError, match=r"buffers of the GPUs \[0, 1\]"):
        source.make_on_two("a")


def test_what_others_see(gpu_peers):
    """A library that knows __cuda_array_interface__ only: the arrived buffer's memory and stream."""
    source, destination = gpu_peers()
    destination.take_gpu_buffer("a", *source.make_gpu_buffer("a", 7))
    source.open_gate()
    assert destination.seen_by_others("a") == ("<i2", (64, 32), True, {7 * 257})
