# SPDX-License-Identifier: Apache-2.0
"""Real Ray on two simulated nodes: actors hand arrays over, and are killed while they do."""
import os
import signal

import gpustream
import pytest
import ray
import stacks
from actors import Destination, Source
from asking import LIMIT, get, take, take_all
from gpu_work import Tensor
from gpustream_ray import _files
from peers import eventually, has_ended
from real_gpu import FAKE


@pytest.fixture(scope="module")
def cluster(head, add_node):
    """Two nodes."""
    there = add_node(there=1000)
    yield head
    head.remove_node(there)


_shared = []


@pytest.fixture
def pair(cluster):
    """A source and a destination, which start for the first test and after one that leaves something behind."""
    if not _shared:
        _shared.extend(start_all((Source, "here"), (Destination, "there")))
    source, destination = left = tuple(_shared)
    yield left
    _shared.clear()
    try:
        get(destination.drop.remote())
        eventually(lambda: (get(source.stats.remote())["used"], get(destination.stats.remote())["leases"]), (0, 0))
        _shared.extend(left)
    finally:
        if not _shared:
            end(*left)


@pytest.fixture(scope="module", autouse=True)
def shared_actors_end(cluster):
    yield
    end(*_shared)
    _shared.clear()


def start_all(*actors, runtime_env=None):
    """Each with its node. Returns when they run: Ray 2.60 loses receives that it submits to an actor that is still starting more often
    than others."""
    started = [actor.options(resources={node: 1}, runtime_env=runtime_env).remote() for actor, node in actors]
    get([actor.pid.remote() for actor in started])
    return started


def end(*actors):
    for actor in actors:
        ray.kill(actor)


def test_actors_of_two_nodes(pair):
    """The task's stream waits; nothing else does. What is overwritten after the hand-over is not seen."""
    source, destination = pair
    before = get(source.synchronizes.remote()), get(destination.synchronizes.remote())
    reference = source.make.remote(2.0, 1000, True)
    source.overwrite.remote()
    assert take(destination, reference) is True
    assert (get(source.synchronizes.remote()), get(destination.synchronizes.remote())) == before
    source.open_gate.remote()
    assert get(destination.sums.remote()) == [2000.0, 6.0, "as it was"]
    assert get(destination.sums.remote("last", True)) == [2000.0, 6.0, "as it was"]


def test_the_source_is_freed_when_its_readers_are_done(pair):
    source, destination = pair
    reference = source.make.remote(2.0, 1000, True)
    take(destination, reference)
    take(destination, reference, "again")
    del reference
    eventually(lambda: get(source.stats.remote())["used"], 0)  # Ray has freed it
    assert get(destination.stats.remote())["leases"] == 2  # and its readers still need it
    source.open_gate.remote()
    assert get(destination.sums.remote()) == get(destination.sums.remote("again")) == [2000.0, 6.0, "as it was"]
    eventually(lambda: get(destination.stats.remote())["leases"], 0)


def test_buffers(pair):
    source, destination = pair
    before = get(source.synchronizes.remote()), get(destination.synchronizes.remote())
    reference = source.make_buffer.remote(6)
    source.overwrite_buffer.remote()
    assert take(destination, reference) is True
    assert (get(source.synchronizes.remote()), get(destination.synchronizes.remote())) == before
    source.open_gate.remote()
    assert get(destination.buffers.remote()) == (True, ["float32", 4096, 6, 32, 6, 6.0])
    with pytest.raises(TypeError, match="cannot pickle"):  # not by Ray's object store, which would not wait for the stream
        get(source.plain_buffer.remote())


def test_buffers_of_a_gpu(cluster):
    """On the fake driver: in memory that the driver shares, with an array beside them, and a tensor of another library."""
    gpu = {"env_vars": FAKE}
    source, destination = start_all((Source, "here"), (Destination, "there"), runtime_env=gpu)
    assert get(source.device.remote()) == "cuda"
    before = get(source.synchronizes.remote()), get(destination.synchronizes.remote())
    reference = source.make_buffer.remote(6, Tensor)
    source.overwrite_buffer.remote()
    assert take(destination, reference) is True
    assert (get(source.synchronizes.remote()), get(destination.synchronizes.remote())) == before
    source.open_gate.remote()
    assert get(destination.buffers.remote()) == (True, ["float32", 4096, 6, 32, 6, 6.0, "float32", (4,), 6])
    del reference
    eventually(lambda: (get(source.stats.remote())["used"], get(destination.stats.remote())["leases"]), (0, 0))
    end(source, destination)


def test_work_that_is_not_done_in_time(pair):
    source, destination = pair
    take(destination, source.make.remote(2.0, 1000, True))
    with pytest.raises(gpustream.TimeLimitError):
        get(destination.wait.remote(0.05))
    source.open_gate.remote()
    assert get(destination.sums.remote()) == [2000.0, 6.0, "as it was"]


def test_where_an_actor_stands(pair):
    source, destination = pair
    take(destination, source.make.remote(2.0, 1000, True))
    waiting = destination.wait.remote(LIMIT)
    eventually(lambda: " in wait\n" in stacks.of_actors(), True)
    source.open_gate.remote()
    get(waiting)


def test_destinations_of_one_object(pair):
    """Also one that comes when the token's lease has ended."""
    source, first = pair
    others = start_all(*[(Destination, "there")] * 2)
    reference = source.make.remote(2.0)
    assert [take(each, reference) is not None and get(each.sums.remote()) for each in (first, others[0])] == [[2000.0, 6.0, "as it was"]] * 2
    for number in range(20):
        take(first, source.make.remote(1.0), "other")
    take(others[1], reference)
    assert get(others[1].sums.remote()) == [2000.0, 6.0, "as it was"]
    end(*others)


def test_the_driver_takes_and_puts(pair):
    source, destination = pair
    things = get(source.make.remote(4.0))
    gpustream.current_stream().synchronize()
    assert things["one"].sum() == 4000.0
    reference = ray.put(things, _tensor_transport="gpustream")
    take(destination, reference)
    assert get(destination.sums.remote()) == [4000.0, 12.0, "as it was"]


def test_many_hand_overs(pair):
    source, destination = pair
    take_all(destination, {value: (source.make.remote(float(value)), value) for value in range(60)})
    assert [get(destination.sums.remote(value))[0] for value in range(60)] == [value * 1000.0 for value in range(60)]
    destination.drop.remote()
    eventually(lambda: get(source.stats.remote())["used"], 0)
    assert get(source.stats.remote())["slots"] <= 60


def test_a_killed_source(cluster, actor_rounds):
    """Its pending work is lost: the stream that waits for it fails, and another destination fails at once."""
    for _ in range(actor_rounds // 2):
        source, destination, other = start_all((Source, "here"), (Destination, "there"), (Destination, "there"))
        reference = source.make.remote(2.0, 1000, True)
        take(destination, reference)
        os.kill(get(source.pid.remote()), signal.SIGKILL)
        with pytest.raises(gpustream.PeerLostError):
            get(destination.sums.remote())
        with pytest.raises(ray.exceptions.RayActorError):
            get(source.pid.remote())  # Ray knows of its death
        with pytest.raises((gpustream.PeerLostError, ray.exceptions.RayActorError)):
            take(other, reference)
        end(destination, other)


def test_a_killed_destination(cluster, actor_rounds):
    (source,) = start_all((Source, "here"))
    for _ in range(actor_rounds):
        (destination,) = start_all((Destination, "there"))
        reference = source.make.remote(2.0)
        take(destination, reference)
        os.kill(get(destination.pid.remote()), signal.SIGKILL)
        with pytest.raises(ray.exceptions.RayActorError):
            get(destination.sums.remote())
        del reference
        eventually(lambda: get(source.stats.remote())["used"], 0)
    assert get(source.stats.remote())["slots"] <= 3
    end(source)


def held(*actors):
    """What must not grow: files that are open and mapped; and memory."""
    found = [(*get(actor.open_files.remote()), get(actor.memory.remote())) for actor in actors]
    return [sum(each) for each in zip(*found, strict=True)]


def test_a_killed_raylet(cluster, add_node, actor_rounds):
    """It is killed between a hand-over from its node and one to it, and both tasks' work. Its actors go; those elsewhere go on."""
    source, destination = start_all((Source, "here"), (Destination, "there"))
    found = []
    for number in range(actor_rounds):
        lost = add_node(**{f"lost-{number}": 10})
        lost_source, lost_destination = start_all((Source, f"lost-{number}"), (Destination, f"lost-{number}"))
        coming, going = lost_source.make.remote(1.0, 1000, True), source.make.remote(2.0, 1000, True)
        take(destination, coming)
        take(lost_destination, going)
        assert (get(destination.stats.remote())["leases"], get(source.stats.remote())["used"]) == (1, 1)
        pids = get([lost_source.pid.remote(), lost_destination.pid.remote()])
        raylet = lost.all_processes["raylet"][0].process
        raylet.kill()
        raylet.wait()  # its workers look whether the process is there, and this one is its parent

        with pytest.raises(gpustream.PeerLostError):  # not TimeLimitError
            get(destination.sums.remote())
        for actor in lost_source, lost_destination:
            with pytest.raises(ray.exceptions.RayActorError):
                get(actor.pid.remote())
        eventually(lambda pids=pids: [has_ended(pid) for pid in pids], [True, True])
        with pytest.raises((gpustream.PeerLostError, ray.exceptions.RayActorError)):
            take(destination, coming, "late")
        source.open_gate.remote()
        get(destination.drop.remote())
        get(destination.renew_stream.remote())
        del coming, going
        eventually(lambda: (get(source.stats.remote())["used"], get(destination.stats.remote())["leases"]), (0, 0))

        take(destination, source.make.remote(3.0))
        assert get(destination.sums.remote()) == [3000.0, 9.0, "as it was"]
        get(destination.drop.remote())
        cluster.remove_node(lost, allow_graceful=False)
        assert get(source.stats.remote())["slots"] <= 3, "a lease has outlived its process"
        found.append([*held(source, destination), len(list(_files.parent().iterdir()))])
    print(found)
    # The library keeps the tokens of the last 16 processes that ended: two files each, and up to three mappings.
    for index, most in enumerate((2 * 20, 3 * 20, 64 << 20, 4)):
        assert max(each[index] for each in found) <= found[0][index] + most, found
    end(source, destination)
