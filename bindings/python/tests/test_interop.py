# SPDX-License-Identifier: Apache-2.0
"""Streams of other libraries, both ways. What needs those libraries and a GPU is in test_gpu_interop.py."""
import gc
import weakref
from types import SimpleNamespace

import gpustream
import pytest
from gpustream import interop
from support.refusals import raises


class Foreign:
    """Another library's stream object around one of the driver's handles."""

    def __init__(self, number, version=0, extra=()):
        self.answer = (version, number, *extra)

    def __cuda_stream__(self):
        return self.answer


@pytest.fixture
def raw():
    """A driver's stream that gpustream does not know: one of another copy of the library would look the same. Here it is
    a stream of ours whose raw handle was never given out."""
    keeper = gpustream.Stream()
    return keeper, keeper.cuda_stream


KINDS = [Foreign, lambda n: SimpleNamespace(cuda_stream=n), lambda n: SimpleNamespace(ptr=n), lambda n: Foreign(n, extra=(1,)),
         lambda n: SimpleNamespace(__cuda_stream__=(0, n))]


@pytest.mark.parametrize("kind", KINDS)
def test_accepted_everywhere(raw, kind, gate):
    keeper, number = raw
    foreign = kind(number)
    stream, event, held = gpustream.Stream(), gpustream.Event(), gate()
    held.hold(keeper)
    event.record(foreign)
    assert event.query() is False
    stream.wait_stream(foreign)
    assert stream.query() is False
    event.wait(foreign)
    with gpustream.stream(foreign):
        assert gpustream.current_stream() == keeper
    gpustream.set_stream(foreign)
    assert gpustream.current_stream() == keeper
    gpustream.set_stream(gpustream.default_stream())
    assert gpustream.get_stream_from_external(foreign) == keeper
    assert interop.as_stream(foreign) == keeper
    with gpustream.Queue() as queue, gpustream.Timeline() as timeline:
        queue.add(foreign, 7)
        timeline.signal(1, foreign)
        timeline.wait(1, foreign)
        gpustream.Token(foreign).wait(foreign)
        held.open()
        assert queue.wait()[0].token == 7 and timeline.synchronize(1) is None
    stream.synchronize()


def test_numbers_only_where_they_are_named(raw):
    keeper, number = raw
    assert gpustream.ExternalStream(number) == keeper
    assert gpustream.ExternalStream(stream_ptr=number, device=0) == keeper
    assert gpustream.ExternalStream(number, "cuda:0") == keeper
    assert gpustream.get_stream_from_external(number, device=0) == keeper
    for use in (gpustream.Event().record, gpustream.Stream().wait_stream, gpustream.stream, gpustream.set_stream, interop.as_stream):
        raises(TypeError, use, number)


def test_external_stream_is_a_stream(raw):
    keeper, number = raw
    external = gpustream.ExternalStream(number, device=0)
    assert isinstance(external, gpustream.Stream) and hash(external) == hash(keeper)
    assert external.cuda_stream == number and external.device == keeper.device
    assert repr(external) == f"<gpustream.ExternalStream device={keeper.device} cuda_stream={number:#x}>"
    with external:
        assert gpustream.current_stream() == external
    gpustream.set_device(1)
    assert gpustream.ExternalStream(number).device_index == 0  # found, not assumed
    raises(gpustream.DeviceMismatchError, gpustream.ExternalStream, number, device=1)


def test_special_numbers():
    assert gpustream.ExternalStream(0) == gpustream.ExternalStream(1) == gpustream.default_stream()
    assert gpustream.ExternalStream(0, device=1) == gpustream.default_stream(1)
    assert gpustream.ExternalStream(2).cuda_stream == 2
    gpustream.set_device(1)
    assert gpustream.ExternalStream(0).device_index == 1


@pytest.mark.parametrize("number, error", [
    (3, gpustream.InvalidHandleError), (4095, gpustream.InvalidHandleError), (2**63, gpustream.InvalidHandleError), (-1, OverflowError),
    (2**64, OverflowError), (1.5, TypeError), ("0", TypeError), (None, TypeError), (True, TypeError),
])
def test_bad_numbers(number, error):
    raises(error, gpustream.ExternalStream, number)


def test_device_of_default_streams():
    assert interop.as_stream(SimpleNamespace(ptr=0, device_id=1)) == gpustream.default_stream(1)
    assert interop.as_stream(SimpleNamespace(cuda_stream=0, device=SimpleNamespace(index=1))) == gpustream.default_stream(1)
    assert interop.as_stream(SimpleNamespace(cuda_stream=1)) == gpustream.default_stream(0)


def test_dlpack_numbers():
    stream = gpustream.Stream()
    cuda = stream.device.type == "cuda"
    assert interop.to_dlpack(stream) == (stream.cuda_stream if cuda else None)
    assert interop.to_dlpack(gpustream.default_stream()) == (1 if cuda else None)
    assert interop.to_dlpack(gpustream.per_thread_stream()) == (2 if cuda else None)
    assert interop.from_dlpack(stream.cuda_stream) == stream
    assert interop.from_dlpack(1) == interop.from_dlpack(None) == gpustream.default_stream()
    assert interop.from_dlpack(1, device=1) == gpustream.default_stream(1)
    assert interop.from_dlpack(2).cuda_stream == 2
    assert interop.from_dlpack(-1) is None
    for wrong in (0, -2):
        raises(ValueError, interop.from_dlpack, wrong)
    for wrong in ("1", 1.0, True):
        raises(TypeError, interop.from_dlpack, wrong)


def test_cuda_array_interface_numbers():
    stream = gpustream.Stream()
    assert interop.to_cuda_array_interface(stream) == stream.cuda_stream
    assert interop.to_cuda_array_interface(gpustream.default_stream()) == 1
    assert interop.to_cuda_array_interface(gpustream.per_thread_stream()) == 2
    assert interop.from_cuda_array_interface(stream.cuda_stream) == stream
    assert interop.from_cuda_array_interface(1) == gpustream.default_stream()
    assert interop.from_cuda_array_interface(None) is None
    for wrong in (0, -1):
        raises(ValueError, interop.from_cuda_array_interface, wrong)
    raises(TypeError, interop.from_cuda_array_interface, "1")


def test_owner_is_kept_and_let_go(raw):
    _, number = raw
    owner = Foreign(number)
    ref = weakref.ref(owner)
    stream = interop.as_stream(owner)
    del owner
    gc.collect()
    assert ref() is not None
    del stream
    gc.collect()
    assert ref() is None


def test_owner_may_keep_its_stream(raw):
    """A cycle that the collector must find, with and without __del__."""
    for kind in (gpustream.ExternalStream, type("Mine", (gpustream.ExternalStream,), {"__del__": lambda self: None})):
        owner = Foreign(raw[1])
        owner.stream = kind(raw[1], owner=owner)
        assert owner.stream == raw[0]
        ref = weakref.ref(owner)
        del owner
        gc.collect()
        assert ref() is None
    assert raw[0].query() is True
