# SPDX-License-Identifier: Apache-2.0
"""What kinds of stream there are, and how to tell them."""
import itertools

import gpustream
import pytest
from gpustream import StreamFlags
from support.refusals import raises

CLASSES = [gpustream.Stream, gpustream.generic.Stream]


@pytest.mark.parametrize("kind", CLASSES)
def test_flags_are_what_was_asked_for(kind):
    assert kind().flags == StreamFlags(0) and isinstance(kind().flags, StreamFlags)
    for blocking, one in itertools.product((False, True), (None, "shared", "dedicated")):
        stream = kind(blocking=blocking, **({one: True} if one else {}))
        wanted = (StreamFlags.BLOCKING if blocking else 0) | (StreamFlags[one.upper()] if one else 0)
        assert stream.flags == wanted == stream._flags
        stream.synchronize()
    with pytest.raises(AttributeError):
        kind().flags = 1


@pytest.mark.parametrize("kind", CLASSES)
def test_what_excludes_each_other(kind):
    raises(gpustream.InvalidArgumentError, kind, shared=True, dedicated=True)
    for name in ("shared", "blocking", "dedicated"):
        for wrong in ("yes", 1.0, None):
            raises(TypeError, name, kind, **{name: wrong})
        live = kind()
        raises(TypeError, "do not apply to an existing stream", kind, stream_id=live.stream_id, device_index=0, **{name: True})


def test_numbers_are_the_headers():
    names = {name.removeprefix("GS_STREAM_"): getattr(gpustream._core, name) for name in dir(gpustream._core)
             if name.startswith("GS_STREAM_") and name != "GS_STREAM_CURRENT"}
    assert {flag.name: flag.value for flag in StreamFlags} == names


def test_init_again_with_another_kind():
    class Dedicated(gpustream.Stream):
        def __init__(self):
            super().__init__(dedicated=True)

    assert Dedicated().flags == StreamFlags.DEDICATED


@pytest.mark.parametrize("device", [None, 0, 1, "cuda:1"])
def test_per_thread_stream(device):
    stream = gpustream.per_thread_stream(device)
    assert stream.cuda_stream == 2 == stream.stream_id and stream.device_index == (0 if device in (None, 0) else 1)
    assert stream.is_per_thread is True and stream.is_default is False
    assert gpustream._per_thread_stream(device) == stream  # its name in earlier revisions
    assert stream == gpustream.ExternalStream(2, device) and gpustream.ExternalStream(2, device).is_per_thread
    with stream:
        assert gpustream.current_stream().is_per_thread
    raises(gpustream.InvalidDeviceError, gpustream.per_thread_stream, 99)
    raises(TypeError, gpustream.per_thread_stream, 1.5)


def test_default_stream():
    for stream in (gpustream.default_stream(), gpustream.ExternalStream(0), gpustream.ExternalStream(1), gpustream.current_stream()):
        assert stream.is_default is True and stream.is_per_thread is False
        assert StreamFlags.BLOCKING in stream.flags
    assert gpustream.Stream().is_default is False is gpustream.Stream().is_per_thread


def test_closed_streams_have_no_kind():
    stream = gpustream.Stream()
    stream.close()
    for name in ("flags", "is_default", "is_per_thread"):
        raises(gpustream.InvalidHandleError, getattr, stream, name)
