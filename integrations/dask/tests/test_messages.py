# SPDX-License-Identifier: Apache-2.0
"""Buffers as messages: what is sent and read, and what is refused."""
import os
import pickle

import dask.sizeof
import gpustream
import gpustream_dask
import numpy
import pytest
from distributed.protocol import deserialize, serialize
from distributed.protocol.serialize import merge_and_deserialize, serialize_and_split
from gpustream_dask import StreamPlugin, _buffers, _failures


def copied(header, frames):
    """As a message that was received, in memory of its own."""
    return header, [bytearray(frame) for frame in frames]


@pytest.mark.parametrize(("dtype", "shape"), [("uint8", (4096,)), ("float64", (8, 64)), ("bfloat16", (0, 3)), ("complex128", ())])
def test_a_buffer_as_a_message(dtype, shape):
    whole = gpustream.Buffer.from_bytes(bytes(range(256)) * 16)
    size = int(numpy.prod(shape)) * gpustream.Buffer(16).view(dtype).itemsize
    sent = whole[:size].view(dtype, shape)
    found = deserialize(*copied(*serialize(sent)))
    assert (found.dtype, found.shape, found.readonly) == (dtype, shape, False)
    assert found.to_bytes() == sent.to_bytes() and found.stream == gpustream.current_stream()


def test_messages_of_several_frames():
    sent = gpustream.Buffer.from_bytes(os.urandom(100_000))
    header, frames = serialize_and_split(sent, size=1000)
    assert len(frames) > 50
    assert merge_and_deserialize(header, [bytearray(frame) for frame in frames]).to_bytes() == sent.to_bytes()


def test_a_message_that_comes_twice():
    sent = gpustream.Buffer(64).fill_(5)
    header, frames = copied(*serialize(sent))
    first, second = deserialize(dict(header), list(frames)), deserialize(*copied(header, frames))
    first.fill_(6)
    assert second.to_bytes() == b"\5" * 64 and sent.to_bytes() == b"\5" * 64


def test_memory_that_is_misaligned_or_read_only():
    sent = gpustream.Buffer.from_bytes(bytes(range(64))).view("float64")
    header, (frame,) = serialize(sent)
    shifted = memoryview(bytearray(80))[3:67]
    shifted[:] = bytes(frame)
    for memory in shifted, bytes(frame):
        found = deserialize(header, [memory])
        assert found.to_bytes() == bytes(range(64)) and not found.readonly
    array = numpy.arange(8)
    array.flags.writeable = False
    assert deserialize(*copied(*serialize(gpustream.from_dlpack(array)))).readonly


def test_a_buffer_that_is_being_sent_cannot_be_closed():
    buffer = gpustream.Buffer(64).fill_(1)
    message = serialize(buffer)
    with pytest.raises(BufferError, match="cannot be closed"):
        buffer.close()
    del message
    buffer.close()


def test_the_size_that_dask_sees():
    assert dask.sizeof.sizeof(gpustream.Buffer(1_000_000)) >= 1_000_000


GOOD = {"version": 1, "dtype": "uint8", "shape": [4], "readonly": False, "memory": "host"}


@pytest.mark.parametrize(("changes", "frames", "text"), [
    ({"version": 2}, [b"1234"], "version 2 and 1 frames; this package reads version 1"),
    ({"version": None}, [b"1234"], "version None"),
    ({}, [], "0 frames"),
    ({}, [b"12", b"34"], "2 frames"),
    ({}, [b"123"], "cannot be read"),
    ({"dtype": "float8"}, [b"1234"], "cannot be read"),
    ({"shape": [-1]}, [b"1234"], "cannot be read"),
    ({"shape": "all"}, [b"1234"], "cannot be read"),
    ({"memory": "tape"}, [b"1234"], "its memory is 'tape'"),
    ({}, ["text"], "cannot be read"),
])
def test_messages_that_are_refused(changes, frames, text):
    with pytest.raises(gpustream.InvalidArgumentError, match=text):
        _buffers.load(GOOD | changes, frames)
    with _failures.kept_as_values():  # a worker
        failure = _buffers.load(GOOD | changes, frames)
        failure = pickle.loads(pickle.dumps(failure))
    with pytest.raises(gpustream.InvalidArgumentError, match=text):
        failure.raise_()
    with pytest.raises(gpustream.InvalidArgumentError, match=text):  # a client
        pickle.loads(pickle.dumps(failure))


def test_who_keeps_failures_as_values():
    """A worker with the plugin, but not the code of its tasks."""
    failure = pickle.dumps(_failures.Failure(gpustream.errors.fail(gpustream.errors.Status.PEER_LOST, "gone")))
    _failures.worker_begins()
    try:
        kept = pickle.loads(failure)
        with _failures.kept_as_values(False), pytest.raises(gpustream.PeerLostError, match="gone"):
            pickle.loads(failure)
    finally:
        _failures.worker_ends()
    with pytest.raises(gpustream.PeerLostError, match="gone"):
        pickle.loads(failure)
    with pytest.raises(gpustream.PeerLostError, match="gone"):  # code that takes it for an event
        kept.wait()
    assert not hasattr(kept, "__array_interface__")  # as libraries ask


@pytest.mark.parametrize("missing", ["dtype", "shape", "readonly", "memory"])
def test_messages_without_a_part(missing):
    with pytest.raises(gpustream.InvalidArgumentError, match=f"cannot be read: '{missing}'"):
        _buffers.load({name: value for name, value in GOOD.items() if name != missing}, [b"1234"])


@pytest.mark.parametrize("state", [{"device": None, "priority": 0, "libraries": ()}, {"protocol": 3}])
def test_a_plugin_of_another_version_is_refused(state):
    plugin = StreamPlugin.__new__(StreamPlugin)
    plugin.__setstate__(state)
    with pytest.raises(RuntimeError, match=f"protocol {state.get('protocol', 1)}, this worker one of 2"):
        plugin.setup(worker=None)
    plugin.teardown(worker=None)  # as Dask does then


def test_registering_twice():
    gpustream_dask.register_serializers()
    assert deserialize(*copied(*serialize(gpustream.Buffer(8).fill_(2)))).to_bytes() == b"\2" * 8


def test_collections():
    """Only those on the way to a buffer are copied; others, and the order and classes of all, stay."""
    own, other = gpustream.Stream(), gpustream.Stream()
    mine, theirs = gpustream.Buffer(64, stream=own), gpustream.Buffer(64, stream=other).fill_(4)
    plain = [1, [2, (3,)]]
    value = {"a": [mine, theirs], "b": (theirs, plain), "c": plain}
    given = _buffers.give(value, own)
    assert given["a"][0] is mine and given["c"] is plain and given["b"][1] is plain and list(given) == ["a", "b", "c"]
    assert given["a"][1] is given["b"][0] and given["a"][1].stream == own and given["a"][1].ptr == theirs.ptr
    assert value["a"][1] is theirs and _buffers.give(plain, own) is plain
    circle = [theirs]
    circle.append(circle)
    assert _buffers.give(circle, own)[0].stream == own
    assert len(_buffers.streams_of(value)) == 2 and _buffers.streams_of(value, other_than=own) == [other]
    with pytest.raises(BufferError, match="cannot be closed"):
        theirs.close()
