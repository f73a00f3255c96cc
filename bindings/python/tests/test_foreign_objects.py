# SPDX-License-Identifier: Apache-2.0
"""Streams and events of other libraries: what is recognised, which wrapper stands for it, who owns it."""
import gc
import weakref
from types import SimpleNamespace

import gpustream
import pytest
from gpustream import interop
from support.refusals import raises
from test_interop import Foreign, raw  # noqa: F401


class TestEvents:
    """Events of other libraries, where a stream waits."""

    @pytest.mark.parametrize("kind", [
        lambda number: SimpleNamespace(cuda_event=number, device=SimpleNamespace(index=0)),                        # PyTorch
        lambda number: SimpleNamespace(ptr=number, done=False),                                                    # CuPy
        lambda number: SimpleNamespace(handle=SimpleNamespace(__int__=None, value=number), elapsed_time=None),     # numba
        lambda number: SimpleNamespace(handle=number, is_done=False, device=SimpleNamespace(device_id=0)),         # cuda.core
    ])
    def test_waits_take_them(self, kind, gate):
        producer, consumer, held = gpustream.Stream(), gpustream.Stream(), gate()
        held.hold(producer)
        theirs = producer.record_event()
        foreign = kind(theirs.cuda_event)
        consumer.wait_event(foreign)
        assert consumer.query() is False
        assert interop.as_event(foreign).handle == theirs.handle, "two wraps of one event are one"
        held.open()
        consumer.synchronize()

    def test_one_that_was_never_recorded(self):
        stream = gpustream.Stream()
        stream.wait_event(SimpleNamespace(cuda_event=0))
        assert stream.query() is True
        assert interop.as_event(SimpleNamespace(cuda_event=0)).query() is True

    def test_what_is_no_event(self):
        stream, event = gpustream.Stream(), gpustream.Event()
        assert interop.as_event(event) is event
        for wrong in (SimpleNamespace(ptr=1), SimpleNamespace(handle=5), SimpleNamespace(cuda_event="7"), SimpleNamespace, None, 7):
            raises(TypeError, "must be Event", stream.wait_event, wrong)
            raises(TypeError, interop.as_event, wrong)
        raises(gpustream.InvalidHandleError, lambda: stream.wait_event(SimpleNamespace(cuda_event=77)))


class TestWrappers:
    """Of objects with the method __cuda_stream__(): made in C, and the same one while it lives."""

    def test_the_live_wrapper_is_found(self, raw):
        keeper, number = raw
        foreign = Foreign(number)
        wrapper = interop.as_stream(foreign)
        context = gpustream.stream(foreign)
        assert context.stream is wrapper and type(wrapper) is gpustream.ExternalStream and wrapper == keeper
        with context:
            assert gpustream.current_stream() == keeper
        other = gpustream.stream(Foreign(number)).stream
        assert other is not wrapper and other == wrapper, "another object has its own, which it keeps alive"

    def test_wrappers_that_end_are_forgotten(self, raw):
        keeper, number = raw
        foreign = Foreign(number)
        context = gpustream.stream(foreign)
        context.stream.close()
        assert gpustream.stream(foreign).stream == keeper, "a closed one stands for nothing"
        ref = weakref.ref(foreign)
        del foreign, context
        gc.collect()
        assert ref() is None, "being known keeps nothing alive"

    def test_one_object_whose_stream_changes(self, raw):
        keeper, number = raw
        second = gpustream.Stream()
        foreign = Foreign(number)
        first = gpustream.stream(foreign).stream
        foreign.answer = (0, second.cuda_stream)
        assert gpustream.stream(foreign).stream == second and first == keeper

    def test_the_newest_and_older_ones_are_found_beside_many(self):
        streams = [gpustream.Stream() for _ in range(200)]
        others, wrappers = [Foreign(stream.cuda_stream) for stream in streams], []
        for other in others:
            wrappers.append(interop.as_stream(other))
            assert gpustream.stream(other).stream is wrappers[-1]
        assert wrappers == streams == [gpustream.stream(other).stream for other in others]
        del wrappers[::2]
        assert [gpustream.stream(other).stream for other in others] == streams

    @pytest.mark.parametrize("answer, error", [
        ((0,), TypeError), ((1, 5), NotImplementedError), ((0, "5"), TypeError), ((0, -1), OverflowError), (None, TypeError), (7, TypeError),
        ((0, None), TypeError), ((0, 7), gpustream.InvalidHandleError), ((0, 1 << 80), (OverflowError, ValueError)),
        ((0, 2**64 - 1), gpustream.InvalidHandleError),
    ])
    def test_wrong_answers(self, answer, error):
        foreign, event = Foreign(0), gpustream.Event()
        foreign.answer = answer
        for use in (gpustream.stream, event.record):
            raises(error, use, foreign)
        for other in (SimpleNamespace(cuda_stream="x"), object(), "stream"):
            raises(TypeError, event.record, other)
        for memory in (gpustream.Buffer(4), type("Array", (), {"ptr": 0x1000, "__cuda_array_interface__": {}})()):
            raises(TypeError, "must be a stream, not (Buffer|gpustream.Buffer|Array)", event.record, memory)  # whose .ptr is no stream
        assert event.device is None

    def test_what_the_method_raises(self):
        class Broken:
            def __cuda_stream__(self):
                raise KeyError("theirs")

        for use in (gpustream.stream, gpustream.Event().record):
            with pytest.raises(KeyError, match="theirs"):
                use(Broken())
        raises(TypeError, "class Broken", gpustream.stream, Broken)


UNKNOWN_STREAM = """
import ctypes, gc, os, threading, weakref
import gpustream
from gpustream import interop
gpustream.Stream()
cuda = ctypes.CDLL(os.environ["GPUSTREAM_LIBCUDA"])
context, raw = ctypes.c_void_p(), ctypes.c_void_p()
assert cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0) == 0 and cuda.cuCtxSetCurrent(context) == 0
assert cuda.cuStreamCreate(ctypes.byref(raw), 1) == 0

class Owner:
    ptr = raw.value

def is_let_go(ref):
    for _ in range(100):
        gc.collect()
        if ref() is None:
            return True
        gpustream.Stream()  # the library lets go when it next looks
    return False

"""


def run_with_unknown_stream(run_python, code):
    run_python(UNKNOWN_STREAM + code, GPUSTREAM_BACKEND="cuda", GPUSTREAM_LIBCUDA=pytest.fake_cuda())


@pytest.mark.parametrize("members", ["pass", "__del__ = lambda self: None"])
def test_owner_that_keeps_its_stream_is_let_go(run_python, members):
    run_with_unknown_stream(run_python, f"""
class Mine(gpustream.ExternalStream):
    {members}
owner = Owner()
owner.stream = Mine(raw.value, owner=owner)
ref = weakref.ref(owner)
del owner
assert is_let_go(ref)
""")


@pytest.mark.parametrize("use", [
    "gpustream.set_stream(stream)", "stream.__enter__()", "gpustream.StreamContext(stream).__enter__()", "stream.stream_id", "stream.handle",
    "gpustream._exchange_stream(stream)", "gpustream._core.gs_set_current_stream(stream)", "gpustream._core.gs_push_current_stream(stream)",
])
def test_owner_that_keeps_its_stream_is_not_ended_while_it_may_be_in_use(run_python, use):
    """Neither freed nor finalized by the collector, to which only the cycle is known."""
    run_with_unknown_stream(run_python, f"""
ended = []
Owner.__del__ = lambda self: ended.append(1)
owner = Owner()
owner.stream = stream = interop.as_stream(owner)
ref = weakref.ref(owner)
{use}
del owner, stream
gc.collect()
assert ref() is not None and not ended
ref().stream = None  # no cycle any more
try:
    gpustream._core.gs_pop_current_stream(0)
except gpustream.ScopeError:
    gpustream.set_stream(gpustream.default_stream())  # there was no scope
assert is_let_go(ref) and ended == [1]
""")


def test_closed_stream_lets_its_owner_go(run_python):
    run_with_unknown_stream(run_python, """
for end in (lambda s: s.close(), gpustream._core.detach):
    owner = Owner()
    stream = interop.as_stream(owner)
    ref = weakref.ref(owner)
    with stream:
        number = end(stream)
        del owner
        gc.collect()
        assert ref() is not None
    if number:  # detached
        library = ctypes.CDLL("libgpustream.so.0")
        assert ref() is not None and library.gs_stream_destroy(ctypes.c_void_p(number)) == 0
    assert is_let_go(ref)
    stream.close()
""")


def test_owner_is_kept_while_the_stream_is_current(run_python):
    """The library itself keeps it, where it does not know the stream otherwise."""
    run_with_unknown_stream(run_python, """
owner = Owner()
ref = weakref.ref(owner)
gpustream.set_stream(owner)
del owner
gc.collect()
assert ref() is not None and gpustream.current_stream().cuda_stream == raw.value
gpustream.set_stream(gpustream.default_stream())
assert is_let_go(ref)
seen = []
class Finalizer:
    ptr = raw.value
    def __del__(self):
        seen.append((threading.get_ident(), gpustream.Stream().query()))  # may use the library
interop.as_stream(Finalizer()).query()
gc.collect()
assert seen and seen[0][1] is True
""")
