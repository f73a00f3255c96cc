# SPDX-License-Identifier: Apache-2.0
"""gpustream.Token."""
import copy
import multiprocessing
import pickle
import weakref

import gpustream
import pytest
from gpustream.errors import Status
from support.refusals import raises


def test_the_current_stream_is_the_default(gate):
    stream, held = gpustream.Stream(), gate()
    held.hold(stream)
    with gpustream.stream(stream):
        token = gpustream.Token()
    assert token.status is Status.NOT_READY
    other = gpustream.Stream()
    with gpustream.stream(other):
        token.wait()
    assert not other.query()
    held.open()
    other.synchronize()


def test_copies_are_equal_and_pickle():
    token = gpustream.Token()
    data = bytes(token)
    assert len(data) == 128
    for other in (pickle.loads(pickle.dumps(token)), copy.copy(token), copy.deepcopy(token), gpustream.Token.from_bytes(bytearray(data)),
                  gpustream.Token.from_bytes(memoryview(data))):
        assert other == token and hash(other) == hash(token) and other is not token and bytes(other) == data
    assert token != gpustream.Token() and token != data
    assert repr(token).startswith("<gpustream.Token ") and weakref.ref(token)() is token


@pytest.mark.parametrize("data, error", [(b"", ValueError), (bytes(127), ValueError), (bytes(129), ValueError), ("x" * 128, TypeError), (128, TypeError)])
def test_what_is_no_token(data, error):
    raises(error, gpustream.Token.from_bytes, data)


def test_wrong_bytes():
    data = bytearray(bytes(gpustream.Token()))
    data[70] ^= 1
    for wrong in (bytes(128), bytes(data)):
        token = gpustream.Token.from_bytes(wrong)
        raises(gpustream.InvalidArgumentError, "not a token", token.wait)
        with pytest.raises(gpustream.InvalidArgumentError, match="not a token"):
            _ = token.status
    for call in (lambda: gpustream._core.gs_token_wait(None, b"short"), lambda: gpustream._core.gs_token_status(b"short")):
        raises(ValueError, "must have 128 bytes, not 5", call)
    raises(TypeError, "must be bytes", gpustream._core.gs_token_status, None)


def _reader(connection):
    token = connection.recv()
    connection.send(token.status.name)
    stream = gpustream.Stream()
    token.wait(stream)
    connection.send(stream.query())
    stream.synchronize()
    connection.send(token.status.name)
    connection.close()


def test_a_token_goes_to_another_process(gate):
    stream, held = gpustream.Stream(), gate()
    held.hold(stream)
    here, there = multiprocessing.get_context("spawn").Pipe()
    child = multiprocessing.get_context("spawn").Process(target=_reader, args=(there,))
    child.start()
    there.close()
    try:
        here.send(gpustream.Token(stream))  # pickled
        assert here.recv() == "NOT_READY"
        assert here.recv() is False
        held.open()
        assert here.recv() == "OK"
        child.join(60)
        assert child.exitcode == 0
    finally:
        child.kill()
