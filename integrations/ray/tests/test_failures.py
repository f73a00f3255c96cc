# SPDX-License-Identifier: Apache-2.0
"""Hand-overs that fail half-way, without Ray: memory that is full, and copies that are refused."""
import gc
import os

import gpustream
import gpustream_ray
import numpy
import pytest
from gpustream_ray import HostTransport, _files
from gpustream_ray._outbox import Outbox
from peers import LIMIT, eventually


def test_memory_that_is_full(monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "posix_fallocate", full)
    outbox = Outbox()
    with pytest.raises(gpustream.OutOfMemoryError, match="No space left on device"):
        outbox.take(1)
    assert outbox.stats() == {"slots": 0, "bytes": 0, "used": 0}
    assert not list((_files.parent() / os.path.basename(outbox.folder)).glob("[0-9]*"))
    outbox.close()


def test_free_slots_make_room_when_memory_is_full(monkeypatch):
    """Of another size than theirs."""
    allocate, outbox = os.posix_fallocate, Outbox()
    slots = [outbox.take(1) for _ in range(3)]
    for slot in slots:
        outbox.give_back(slot)

    def full(fd, offset, size):
        if any(slot.path.exists() for slot in slots):
            raise OSError(28, "No space left on device")
        allocate(fd, offset, size)

    monkeypatch.setattr(os, "posix_fallocate", full)
    assert outbox.take(1 << 20).capacity == 1 << 20
    assert outbox.stats() == {"slots": 1, "bytes": 1 << 20, "used": 1}
    outbox.close()


def refuse_copy(monkeypatch, number):
    """The copy of this number fails. What is before it has been submitted."""
    copy, copies = gpustream._memcpy_async, iter(range(1, 100))

    def maybe(*arguments):
        if next(copies) == number:
            raise gpustream.OutOfMemoryError("planted")
        copy(*arguments)

    monkeypatch.setattr(gpustream, "_memcpy_async", maybe)


def test_a_slot_of_a_failed_hand_over_waits_for_what_was_submitted(monkeypatch):
    """Its next object would be overwritten by the first copy."""
    transport, gate = HostTransport(), gpustream.Timeline()
    arrays = [numpy.full(1000, value) for value in (1.0, 2.0)]
    before = gpustream_ray.stats()
    with gpustream.Stream(), monkeypatch.context() as patch:
        gate.wait(1)
        refuse_copy(patch, 2)
        with pytest.raises(gpustream.OutOfMemoryError, match="planted"):
            transport.extract_tensor_transport_metadata("a", arrays)
    assert gpustream_ray.stats()["used"] == before["used"] + 1
    gate.set(1)
    eventually(lambda: gpustream_ray.stats()["used"], before["used"])
    assert gpustream_ray.stats()["slots"] <= before["slots"] + 1


def test_a_lease_of_a_failed_arrival_waits_for_what_was_submitted(monkeypatch, peers):
    """The source would use the slot again, and the first copy would read that."""
    (source,) = peers(1)
    message, gate = source.make_two("a", 1.0, 2.0), gpustream.Timeline()
    coming = HostTransport().recv_multiple_tensors("a", message, None)
    with gpustream.Stream(), monkeypatch.context() as patch:
        gate.wait(1)
        refuse_copy(patch, 2)
        with pytest.raises(gpustream.OutOfMemoryError, match="planted"):
            coming[0]
    del coming
    gc.collect()
    assert gpustream_ray.stats()["leases"] == 1
    gate.set(1)
    eventually(lambda: gpustream_ray.stats()["leases"], 0)


def test_an_arrival_that_failed_stays_so(monkeypatch, peers):
    (source,) = peers(1)
    message = source.make_two("a", 1.0, 2.0)
    coming = HostTransport().recv_multiple_tensors("a", message, None)
    with gpustream.Stream() as stream:
        with monkeypatch.context() as patch:
            refuse_copy(patch, 2)
            with pytest.raises(gpustream.OutOfMemoryError, match="planted"):
                coming[0]
        for index in range(2):
            with pytest.raises(gpustream.AbortedError, match="a copy has failed before"):
                coming[index]
        again = HostTransport().recv_multiple_tensors("a", message, None)
        arrays = again[0], again[1]
        stream.synchronize(timeout=LIMIT)
    assert [set(array) for array in arrays] == [{1.0}, {2.0}]
