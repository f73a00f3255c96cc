# SPDX-License-Identifier: Apache-2.0
"""Hand-overs between processes without Ray: destinations that find the token given up, and buffers."""
import os
import pickle
import subprocess
import sys

import gpustream
import pytest
from gpustream_ray import _buffers, _outbox
from peers import LIMIT, eventually
from real_gpu import FAKE


def test_a_destination_that_comes_when_the_token_is_over(peers):
    """A token is for one destination: the later ones find that its point was reached."""
    source, first, second = peers(3)
    meta = source.make("a", 5.0)
    first.take("a", meta)
    assert first.values("a") == (5.0, 5.0)
    number = iter(range(100))

    def over():
        source.make(f"other {next(number)}", 0.0)  # looks at leases
        return first.token_is_over(meta)

    eventually(over, True)
    for peer in second, first:
        peer.take("late", meta)
        assert peer.values("late") == (5.0, 5.0)


def test_destinations_that_wait_for_the_same_work(peers):
    source, *destinations = peers(4)
    meta = source.make("a", 5.0, 1000, True)
    assert all(peer.take("a", meta) for peer in destinations)
    source.free("a")
    source.open_gate()
    assert {peer.values("a") for peer in destinations} == {(5.0, 5.0)}


def test_a_message_that_comes_long_after_the_tokens_time(peers):
    """No process has waited in time. While the work is pending, the token stays; afterwards it is given up."""
    (source,) = peers(1, GPUSTREAM_TOKEN_LEASE_MS="1")
    (destination,) = peers(1)
    pending, done = source.make("pending", 5.0, 1000, True), None
    for number in range(20):
        source.make(str(number), 0.0, 10, True)  # looks at leases
    assert destination.take("pending", pending) is True
    source.open_gate()
    assert destination.values("pending") == (5.0, 5.0)
    done = source.make("done", 6.0)
    number = iter(range(100, 1000))

    def over():
        source.make(str(next(number)), 0.0)
        return destination.token_is_over(done)

    eventually(over, True)
    destination.take("done", done)
    assert destination.values("done") == (6.0, 6.0)


def test_a_closed_stream_is_no_token_that_is_over(peers):
    source, destination = peers()
    for gated in False, True:
        meta = source.make("a", 5.0, 10, gated)
        with pytest.raises(gpustream.InvalidHandleError):
            destination.take_on_closed_stream("a", meta)
    source.open_gate()


@pytest.mark.parametrize("other_stream", [False, True])
def test_buffers(peers, other_stream):
    """In stream order too, whichever stream the buffer belongs to. It belongs to the destination's current one there."""
    source, destination = peers()
    before = source.synchronizes(), destination.synchronizes()
    message = source.make_buffer("a", 7, other_stream)
    assert destination.take_buffer("a", *message) is True
    assert (source.synchronizes(), destination.synchronizes()) == before
    source.open_gate()
    assert destination.bytes_of("a") == ("int16", (64, 32), True, {7})


def test_a_buffer_outlives_neither_its_closing_nor_ray():
    buffer = gpustream.Buffer(64).fill_(3)
    array = _buffers.to_array(buffer[:0])
    assert array.nbytes == 0 and _buffers.from_array(array, "uint8", (0,)).shape == (0,)
    array = _buffers.to_array(buffer)
    with pytest.raises(BufferError, match="cannot be closed"):
        buffer.close()
    del array
    buffer.close()
    with pytest.raises(gpustream.InvalidHandleError):
        _buffers.to_array(buffer)
    with pytest.raises(TypeError, match=r"to_bytes\(\)"):
        pickle.dumps(gpustream.Buffer(64))  # Ray is not there


def test_a_page_locked_buffer_is_refused():
    """On the fake driver."""
    program = """
import gpustream
from gpustream_ray import _buffers
try:
    _buffers.to_array(gpustream.Buffer(64, pinned=True))
except gpustream.NotSupportedError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=LIMIT, env=os.environ | FAKE)
    assert "a page-locked buffer of cuda:0 cannot be handed over" in done.stdout, done.stdout + done.stderr


def test_a_limit_that_is_no_number(monkeypatch):
    monkeypatch.setenv("GPUSTREAM_RAY_BYTES", "1G")
    with pytest.raises(gpustream.InvalidArgumentError, match="GPUSTREAM_RAY_BYTES='1G' is no number of bytes"):
        _outbox.limit()
