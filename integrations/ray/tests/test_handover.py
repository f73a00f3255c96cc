# SPDX-License-Identifier: Apache-2.0
"""Hand-overs between two processes by the transport, without Ray."""
import dataclasses
import os
import subprocess
import sys

import gpustream
import gpustream_ray
import numpy
import pytest
from gpustream_ray import HostTransport, StaleHandoverError, UnreachableError, VersionMismatchError, _files, _transport
from peers import LIMIT, eventually


def folders():
    """Of other processes."""
    return {folder.name for folder in _files.parent().glob(_files.PREFIX + "*")} - {os.path.basename(_transport._outbox.folder)}


def test_the_destination_waits_in_its_stream(peers):
    source, destination = peers()
    meta = source.make("a", 5.0, 100_000, True)
    assert destination.take("a", meta) is True  # returned, while the source's work has not begun
    source.open_gate()
    assert destination.values("a") == (5.0, 5.0)


def test_a_destination_that_does_not_wait_is_found_out(peers):
    """What the other tests would see if the destination's stream did not wait."""
    source, destination = peers()
    destination.forget_to_wait()
    meta = source.make("a", 5.0, 1000, True)
    destination.take("a", meta)
    assert destination.values("a") != (5.0, 5.0)
    source.open_gate()


def test_ten_thousand_with_slots_used_again(peers):
    """The source is overwritten in stream order at once after each one."""
    source, destination = peers()
    before = source.synchronizes(), destination.synchronizes()
    most = 0
    for first in range(0, 10_000, 250):
        metas = source.make_many(first, 250)
        destination.take_many(first, metas)
        source.free(*(str(number) for number in range(first, first + 250)))
        most = max(most, source.stats()["slots"])
        eventually(lambda: destination.stats()["leases"] <= 1000, True)  # a lease ends behind the copies, so the lag has a bound
    assert (source.synchronizes(), destination.synchronizes()) == before  # no thread waited for a stream or a device
    assert destination.count_wrong() == 0
    assert most <= 2000, "slots are not used again"
    assert source.mappings() <= 2 * 2000 + 2000 // 123 + 3, "tokens are not used again"
    assert source.stats()["used"] == 0
    eventually(lambda: destination.stats()["leases"], 0)


def test_a_message_that_comes_twice(peers):
    source, destination = peers()
    meta = source.make("a", 5.0)
    destination.take("first", meta)
    destination.take("second", meta)
    assert destination.values("first") == destination.values("second") == (5.0, 5.0)


def test_a_message_that_comes_too_late(peers):
    source, destination = peers()
    late = source.make("a", 5.0)
    destination.take("a", late)
    destination.values("a")
    eventually(lambda: destination.stats()["leases"], 0)
    source.free("a")
    meta = source.make("b", 6.0)
    assert meta.slot == late.slot  # used again
    with pytest.raises(StaleHandoverError, match="generation 2; the message names 1"):
        destination.take("late", late)
    destination.take("b", meta)
    assert destination.values("b") == (6.0, 6.0)


def test_a_message_that_never_comes(peers):
    (source,) = peers(1)
    for number in range(20):
        source.make("a", float(number))
        source.free("a")
        source.settle()
    assert source.stats()["used"] == 0 and source.stats()["slots"] < 20


def test_a_task_that_ran_twice_has_one_slot(peers):
    (source,) = peers(1)
    source.make("a", 1.0)
    source.make("a", 2.0)
    assert source.stats()["used"] == 1


def test_a_destination_that_never_waits(peers):
    """Its leases keep the memory, up to the limit; then the source's tasks fail."""
    source, destination = peers()
    source.set_limit(8 * 65536)
    for number in range(8):
        destination.lease(str(number), source.make(str(number), float(number)))
        source.free(str(number))
    with pytest.raises(gpustream.OutOfMemoryError, match="0 objects of 524288 bytes .* still read"):
        source.make("too much", 0.0)
    source.settle()
    destination.drop("3")
    destination.take("new", source.make("new", 9.0))
    assert destination.values("new") == (9.0, 9.0)


def test_other_sizes_take_the_place_of_free_slots(peers):
    (source,) = peers(1)
    source.set_limit(16 * 65536)
    for number in range(16):
        source.make(str(number), 1.0)
    source.free(*map(str, range(16)))
    source.settle()
    assert source.make("large", 1.0, 16 * 8192).slot == "17"
    assert source.stats()["slots"] == 1


def test_a_killed_destination_keeps_nothing(peers, rounds):
    (source,) = peers(1)
    for _ in range(rounds):
        (destination,) = peers(1)
        destination.take("a", source.make("a", 1.0, 1000))
        destination.lease("b", source.make("b", 2.0, 1000))
        source.free("a", "b")
        destination.kill()
        source.settle()
        source.make("a", 1.0)
        source.make("b", 1.0)
        source.free("a", "b")
    assert source.stats()["slots"] <= 4


def test_a_source_that_is_killed(peers, rounds):
    for _ in range(rounds):
        source, destination = peers()
        pending = source.make("a", 1.0, 1000, True)
        other = source.make("b", 1.0)
        destination.take("a", pending)
        source.kill()
        with pytest.raises(gpustream.PeerLostError):
            destination.values("a")
        with pytest.raises(gpustream.PeerLostError):
            destination.lease("b", other)
        assert os.path.basename(pending.folder) not in folders()
        destination.drop("a")


def test_killed_sources_leave_nothing_open(peers, rounds):
    """In a destination that lives on."""
    (destination,) = peers(1)
    found = []
    for _ in range(8 * rounds):
        (source,) = peers(1)
        destination.take("a", source.make("a", 1.0))
        assert destination.values("a") == (1.0, 1.0)
        source.kill()
        found.append((destination.descriptors(), destination.mappings()))
    # The library keeps the tokens of the last 16 that ended, in two files each.
    descriptors, mappings = zip(*found, strict=True)
    assert max(descriptors) <= descriptors[0] + 1 and max(mappings) <= mappings[0] + 2 * 20, found
    assert len(folders()) <= 1


def test_a_source_that_ends(peers):
    source, destination = peers()
    meta = source.make("a", 1.0)
    assert source.end() == 0
    with pytest.raises(gpustream.PeerLostError, match=r"is gone"):
        destination.take("a", meta)


def test_nothing_is_left_at_exit():
    program = """
import numpy, gpustream_ray
meta = gpustream_ray.HostTransport().extract_tensor_transport_metadata("a", [numpy.zeros(9)])
print(meta.folder)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=LIMIT)
    assert done.stdout and not os.path.exists(done.stdout.strip()) and not done.stderr


def test_folders_of_processes_that_never_finished_making_them():
    unfinished = _files.parent() / f"{_files._NEW}test"
    unfinished.mkdir()
    _files.sweep()
    assert unfinished.exists()  # it may be in the making
    os.utime(unfinished, (0, 0))
    _files.sweep()
    assert not unfinished.exists()


def test_an_aborted_transfer(peers):
    source, destination = peers()
    meta = source.make("a", 1.0)
    destination.lease("a", meta)
    destination.abort("a")
    assert destination.stats()["leases"] == 0
    destination.take("b", meta)
    destination.abort("b")  # on its way already
    destination.abort("unknown")
    assert destination.values("b") == (1.0, 1.0)


def test_taking_out_after_an_abort():
    class Lease:
        released, device = False, None

        def release(self):
            self.released = True

    from gpustream_ray._arrivals import Arrivals

    arrivals = Arrivals([numpy.zeros(1)], Lease(), [0], None)
    arrivals.abort()
    with pytest.raises(gpustream.AbortedError):
        arrivals[0]
    assert list(arrivals) == [numpy.zeros(1)]  # Ray goes through the list without taking out


@pytest.mark.parametrize(("changes", "error", "text"), [
    ({"protocol": 1}, VersionMismatchError, "protocol 1; this package reads 3"),
    ({"protocol": 4}, VersionMismatchError, "protocol 4; this package reads 3"),
    ({"machine": "another"}, UnreachableError, r"_use_object_store=True"),
    ({"slot": "77"}, StaleHandoverError, "slot 77 of .* is gone"),
    ({"token": bytes(128)}, gpustream.InvalidArgumentError, "not a token"),
    ({"token": bytes(64)}, VersionMismatchError, "token of 64 bytes"),
])
def test_messages_that_are_refused(peers, changes, error, text):
    (source,) = peers(1)
    meta = source.make("a", 1.0)
    with pytest.raises(error, match=text):
        HostTransport().recv_multiple_tensors("a", dataclasses.replace(meta, **changes), None)[0]
    assert gpustream_ray.stats()["leases"] == 0


def test_a_message_of_another_transport_is_refused():
    from ray.experimental import TensorTransportMetadata

    with pytest.raises(VersionMismatchError, match="of another transport"):
        HostTransport().recv_multiple_tensors("a", TensorTransportMetadata([]), None)


def test_arrays_that_are_refused():
    transport = HostTransport()
    with pytest.raises(TypeError, match="Python objects"):
        transport.extract_tensor_transport_metadata("a", [numpy.array([object()])])
    with pytest.raises(ValueError, match="not contiguous"):
        transport.extract_tensor_transport_metadata("a", [numpy.zeros((4, 4))[:, 1]])
    assert transport.extract_tensor_transport_metadata("a", []).tensor_meta == []


def test_a_failed_stream_gives_its_slot_back(peers):
    source, destination = peers()
    destination.take("a", source.make("a", 1.0, 1000, True))
    source.kill()
    with pytest.raises(gpustream.PeerLostError):
        destination.values("a")
    with pytest.raises(gpustream.PeerLostError):
        destination.make("b", 1.0)
    eventually(lambda: destination.stats()["used"], 0)


def test_ray_of_another_version_is_refused(monkeypatch):
    import ray

    monkeypatch.setattr(ray, "__version__", "2.99.0")
    with pytest.raises(VersionMismatchError, match=r"this is 2\.99\.0"):
        gpustream_ray.register()
