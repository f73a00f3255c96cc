# SPDX-License-Identifier: Apache-2.0
"""gpustream.copy_batch(): several buffers in one call."""
import gc

import gpustream
import pytest
from gpustream import Buffer, copy_batch
from support.refusals import raises

ORDERS = "stream", "during_call", "any"


def numbers(stream, *texts):
    return [Buffer.from_bytes(text, stream=stream) for text in texts]


@pytest.mark.parametrize("order", ORDERS)
def test_each_goes_to_its_place(order):
    stream, other = gpustream.Stream(), gpustream.Stream()
    sources = numbers(stream, b"one", b"", b"three")
    stream.synchronize()
    targets = [Buffer.zeros(source.nbytes, stream=other) for source in sources]
    assert copy_batch(targets, sources, order=order, stream=other) is None
    assert [target.to_bytes(stream=other) for target in targets] == [b"one", b"", b"three"]
    copy_batch([], [], order=order)
    copy_batch((targets[0][:1],), iter([sources[2][1:2]]), order=order)
    gpustream.synchronize()
    assert targets[0].to_bytes() == b"hne"


def test_work_goes_to_the_current_stream(gate):
    stream, current = gpustream.Stream(), gpustream.Stream()
    (source,), target = numbers(stream, b"text"), Buffer.zeros(4, stream=stream)
    stream.synchronize()
    held = gate()
    with current:
        held.hold(current)
        copy_batch([target], [source])
        assert not current.query() and stream.query()
    held.open()
    current.synchronize()
    assert target.to_bytes() == b"text"


@pytest.mark.parametrize("order", ("stream", "any"))
def test_a_capture_keeps_both_sides(order):
    stream, graph = gpustream.Stream(), gpustream.CUDAGraph()
    target = Buffer.zeros(8, stream=stream)
    *sources, whole = numbers(stream, b"cap", b"tured", bytes(8))
    stream.synchronize()
    with gpustream.graph(graph, stream=stream):
        copy_batch([target[:3], target[3:]], sources, order=order)
        raises(gpustream.CapturingError, "DURING_CALL", copy_batch, [target], [whole], order="during_call")
    del sources
    gc.collect()
    with stream:
        target.fill_(0)
        graph.replay()
        assert target.to_bytes() == b"captured"


def test_wrong_arguments():
    one, other = Buffer(4), Buffer(4)
    for arguments, error, message in (
            (([one], [Buffer(5)]), ValueError, "the buffer has 4 bytes, what is copied has 5"),
            (([one], [one, other]), ValueError, "1 buffers are copied to from 2"),
            (([one], [one]), ValueError, "overlaps"),
            (([one], [b"text"]), TypeError, "must be a Buffer, not bytes"),
            ((one, other), TypeError, "indexed by slices")):
        raises(error, message, copy_batch, *arguments)
    raises(ValueError, "'stream', 'during_call', 'any', not 'late'", copy_batch, [one], [other], order="late")
    other.close()
    raises(gpustream.InvalidHandleError, copy_batch, [one], [other])
    raises(TypeError, "read-only", lambda: copy_batch([gpustream.from_dlpack(read_only())], [one]))


def read_only():
    numpy = pytest.importorskip("numpy")
    array = numpy.zeros(4, dtype="uint8")
    array.flags.writeable = False
    return array
