# SPDX-License-Identifier: Apache-2.0
"""Ray's actors on one GPU: tensors of PyTorch, arrays of CuPy and buffers, in stream order. Where there is no GPU, buffers on the
fake driver.

    GPUSTREAM_BACKEND=cuda python -m pytest -rs tests/test_real_gpu.py
"""
import os
import signal

import gpustream
import pytest
import ray
import real_gpu
from asking import get, take
from gpu_actors import Destination, Source
from gpu_libraries import EXPECTED
from peers import eventually, has_ended

STARTING = 150.0  # seconds; importing PyTorch for the first time takes some
LIBRARIES = ["torch", "cupy", "buffer"]
BYTES_LEFT = 64 << 20  # what the driver keeps of contexts that are gone
pytestmark = pytest.mark.filterwarnings("default")


_shared = {}  # by library: a source and a destination


@pytest.fixture
def start(head):
    """Actors that have begun; they end with the test."""
    started = []

    def begin(library, *kinds):
        new = _begun(library, kinds)
        started.extend(new)
        return new

    yield begin
    _end(started)


@pytest.fixture
def pair(head):
    """A source and a destination, which start for the first test of a library and after one that leaves something behind."""
    used = []

    def give(library):
        used.append(library)
        if library not in _shared:
            _shared[library] = _begun(library, (Source, Destination))
        return _shared[library]

    yield give
    for library in used:
        actors = _shared.pop(library, None)
        if actors is None:
            continue  # it is not here, or has not begun
        try:
            get(actors[1].drop.remote())
            eventually(lambda: used_and_leases(*actors), (0, 0))  # noqa: B023
            _shared[library] = actors
        finally:
            if library not in _shared:
                _end(actors)


@pytest.fixture(scope="module", autouse=True)
def shared_actors_end(head):
    yield
    for actors in _shared.values():
        _end(actors)
    _shared.clear()


def _begun(library, kinds):
    real_gpu.need(library)
    new = [kind.options(runtime_env={"env_vars": real_gpu.environment()}).remote() for kind in kinds]
    assert get([actor.begin.remote(library) for actor in new], STARTING) == ["cuda"] * len(new)
    return new


def _end(actors):
    for actor in actors:
        ray.kill(actor)


def synchronizes(*actors):
    return get([actor.synchronizes.remote() for actor in actors])


def used_and_leases(source, destination):
    return get(source.stats.remote())["used"], get(destination.stats.remote())["leases"]


def expected(library, value):
    described, work = EXPECTED[library]
    return (described, {value}), {work(value)}, value


def hand_over(source, destination, value, gated=False):
    """Returns whether the destination's stream waits, and the reference."""
    reference = source.make.remote(value, gated)
    source.overwrite.remote()
    return take(destination, reference), reference


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("warm", [True, False], ids=["again", "first"])
def test_nothing_waits_but_the_stream(start, pair, library, warm):
    """The source's stream is held until the destination has taken the array and submitted its work: if a thread waited for a
    stream or the device, the task would not return. The first hand-over also allocates the slot, and opens it."""
    source, destination = pair(library) if warm else start(library, Source, Destination)
    if warm:
        hand_over(source, destination, 3)
        assert get(destination.values.remote()) == expected(library, 3)
        get(destination.drop.remote())
    before = synchronizes(source, destination)
    try:
        waits, _ = hand_over(source, destination, 5, True)
        counted = synchronizes(source, destination)
    finally:
        get(source.open_gate.remote())
    assert waits is True
    assert counted == before
    assert get(destination.values.remote()) == expected(library, 5)


@pytest.mark.parametrize("library", LIBRARIES)
def test_many_come_as_they_were_and_leave_nothing(pair, library):
    source, destination = pair(library)
    before = synchronizes(source, destination)
    for value in range(1, 61):
        hand_over(source, destination, value)
        if value % 20 == 0:
            counted = synchronizes(source, destination)
            assert counted == before, value
            assert get(destination.values.remote()) == expected(library, value)
            before = synchronizes(source, destination)
    get(destination.drop.remote())
    eventually(lambda: used_and_leases(source, destination), (0, 0))
    assert get(source.stats.remote())["slots"] <= 60


@pytest.mark.parametrize("library", LIBRARIES)
def test_two_destinations(start, pair, library):
    (source, first), (second,) = pair(library), start(library, Destination)
    try:
        _, reference = hand_over(source, first, 7, True)
        take(second, reference)
    finally:
        get(source.open_gate.remote())
    assert get([first.values.remote(), second.values.remote()]) == [expected(library, 7)] * 2


def test_the_gpus_memory_comes_back(start, pair):
    """Of actors that end, and of one that is killed with an array on its way."""
    pair("buffer")
    real = real_gpu.is_real()
    before = real_gpu.memory_in_use() if real else 0
    pids = []
    for _ in range(3 if real else 1):
        source, destination = start("buffer", Source, Destination)
        hand_over(source, destination, 3)
        get(destination.values.remote())
        _, _reference = hand_over(source, destination, 4, True)
        pids += get([source.pid.remote(), destination.pid.remote()])
        for actor in source, destination:
            ray.kill(actor)
    eventually(lambda: all(map(has_ended, pids)), True)
    if real:
        eventually(lambda: real_gpu.memory_in_use() <= before + BYTES_LEFT, True)


def test_a_killed_source(start):
    """Its pending work is lost. A driver need not report that to a stream that waits for it, so a wait on the host has a limit; what
    must not be is that the stream goes on as if the array had come."""
    source, destination, other = start("buffer", Source, Destination, Destination)
    hand_over(source, destination, 3)
    assert get(destination.values.remote()) == expected("buffer", 3)
    waits, reference = hand_over(source, destination, 5, True)
    assert waits is True
    os.kill(get(source.pid.remote()), signal.SIGKILL)
    outcome = get(destination.wait.remote(5.0 if real_gpu.is_real() else 1.0))
    print("the stream that waits for the killed source:", outcome)
    with pytest.raises((gpustream.PeerLostError, ray.exceptions.RayActorError)):
        take(other, reference)
    assert outcome in ("TimeLimitError", "PeerLostError", "DriverError", "StickyError", "CudaError")


def test_a_killed_destination(start, actor_rounds):
    """Its leases end, and the source's memory is used again."""
    (source,) = start("buffer", Source)
    for _ in range(actor_rounds):
        (destination,) = start("buffer", Destination)
        _, reference = hand_over(source, destination, 3)
        os.kill(get(destination.pid.remote()), signal.SIGKILL)
        with pytest.raises(ray.exceptions.RayActorError):
            get(destination.values.remote())
        del reference
        eventually(lambda: get(source.stats.remote())["used"], 0)
    assert get(source.stats.remote())["slots"] <= 3
