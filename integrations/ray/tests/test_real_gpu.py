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
from gpu_actors import Destination, Source
from gpu_libraries import EXPECTED
from peers import eventually, has_ended

LIMIT, STARTING = 60.0, 150.0  # seconds; importing PyTorch for the first time takes some
LIBRARIES = ["torch", "cupy", "buffer"]
BYTES_LEFT = 64 << 20  # what the driver keeps of contexts that are gone
pytestmark = [pytest.mark.timeout(240), pytest.mark.filterwarnings("default")]


@pytest.fixture(scope="module")
def local_ray():
    os.environ["PYTHONPATH"] = os.pathsep.join([os.path.dirname(__file__), os.environ.get("PYTHONPATH", "")])  # for the actors
    ray.init(num_cpus=2, num_gpus=1, include_dashboard=False, object_store_memory=80_000_000, log_to_driver=False)
    yield
    ray.shutdown()


@pytest.fixture
def start(local_ray):
    """Actors that have begun; they end with the test."""
    started = []

    def begin(library, *kinds):
        real_gpu.need(library)
        new = [kind.options(runtime_env={"env_vars": real_gpu.environment()}).remote() for kind in kinds]
        started.extend(new)
        assert get([actor.begin.remote(library) for actor in new], STARTING) == ["cuda"] * len(new)
        return new

    yield begin
    for actor in started:
        ray.kill(actor)


def get(reference, limit=LIMIT):
    return ray.get(reference, timeout=limit)


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
    return get(destination.take.remote(reference)), reference


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("warm", [True, False], ids=["again", "first"])
def test_nothing_waits_but_the_stream(start, library, warm):
    """The source's stream is held until the destination has taken the array and submitted its work: if a thread waited for a
    stream or the device, the task would not return. The first hand-over also allocates the slot, and opens it."""
    source, destination = start(library, Source, Destination)
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
def test_many_come_as_they_were_and_leave_nothing(start, library):
    source, destination = start(library, Source, Destination)
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
def test_two_destinations(start, library):
    source, first, second = start(library, Source, Destination, Destination)
    try:
        _, reference = hand_over(source, first, 7, True)
        get(second.take.remote(reference))
    finally:
        get(source.open_gate.remote())
    assert get([first.values.remote(), second.values.remote()]) == [expected(library, 7)] * 2


def test_the_gpus_memory_comes_back(start):
    """Of actors that end, and of one that is killed with an array on its way."""
    source, destination = start("buffer", Source, Destination)
    real = real_gpu.is_real()
    before = real_gpu.memory_in_use() if real else 0
    pids = []
    for _ in range(3):
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
    outcome = get(destination.wait.remote(5.0))
    print("the stream that waits for the killed source:", outcome)
    with pytest.raises((gpustream.PeerLostError, ray.exceptions.RayActorError)):
        get(other.take.remote(reference))
    assert outcome in ("TimeLimitError", "PeerLostError", "DriverError", "StickyError", "CudaError")


def test_a_killed_destination(start):
    """Its leases end, and the source's memory is used again."""
    (source,) = start("buffer", Source)
    for _ in range(3):
        (destination,) = start("buffer", Destination)
        _, reference = hand_over(source, destination, 3)
        os.kill(get(destination.pid.remote()), signal.SIGKILL)
        with pytest.raises(ray.exceptions.RayActorError):
            get(destination.values.remote())
        del reference
        eventually(lambda: get(source.stats.remote())["used"], 0)
    assert get(source.stats.remote())["slots"] <= 3
