# SPDX-License-Identifier: Apache-2.0
"""Scopes end what they began: leaving out of order is an error, never the end of another scope."""
import contextlib
import gc
import weakref

import gpustream
import pytest
from support.at_once import in_thread
from support.refusals import raises

NOTHING = (None, None, None)


class Named(gpustream.Stream):
    pass


KINDS = {
    "stream": lambda stream: stream, "function": gpustream.stream, "context": gpustream.StreamContext,
    "subclass": lambda stream: Named(stream_id=stream.stream_id, device_index=stream.device_index),
    "external": lambda stream: gpustream.ExternalStream(stream.cuda_stream),
    "generic": lambda stream: gpustream.generic.Stream(stream.stream_id, stream.device_index, stream.device_type),
}


def hold(manager):
    with manager:
        yield


@pytest.mark.parametrize("kind", KINDS)
def test_blocks_of_one_object_that_overlap(kind):
    """The first block's end is not that of the third, although both are of one object."""
    one, two = gpustream.Stream(), gpustream.Stream()
    shared = KINDS[kind](one)
    generators = [hold(shared), hold(two), hold(shared)]
    for generator in generators:
        next(generator)
    raises(gpustream.ScopeError, lambda: next(generators[0]))
    assert gpustream.current_stream() == one
    for generator in generators[:0:-1]:
        raises(StopIteration, next, generator)
    shared.__exit__(*NOTHING)  # the scope that the first block could not leave
    assert gpustream.current_stream() == gpustream.default_stream()


def test_texts():
    outer, inner = gpustream.Stream(), gpustream.Stream()
    with outer:
        with inner, pytest.raises(gpustream.ScopeError, match="^this block is not the thread's innermost: 1 entered after it must be left first$"):
            outer.__exit__(*NOTHING)
        raises(gpustream.ScopeError, "^this thread has not entered the block", in_thread, outer.__exit__, *NOTHING)


def test_bound_methods_that_are_kept():
    """In any order, and called again: each time the end of a scope of that stream."""
    stream, other = gpustream.Stream(), gpustream.Stream()
    leave = stream.__exit__
    assert leave.__self__ is stream
    for _ in range(3):
        stream.__enter__()
        leave(*NOTHING)
    stream.__enter__()
    stream.__exit__(*NOTHING)
    raises(gpustream.ScopeError, leave, *NOTHING)
    leave = stream.__exit__
    with other:
        with stream:
            pass
        raises(gpustream.ScopeError, leave, *NOTHING)
        assert gpustream.current_stream() is other
    raises(TypeError, stream.__exit__, wrong=1)
    with contextlib.ExitStack() as stack:
        for one in [stream, other] * 40:
            stack.enter_context(one)
    assert gpustream.current_stream() == gpustream.default_stream()


def test_blocks_of_many_streams_are_of_the_stream_itself():
    """However many streams there are: the table of objects has fewer places."""
    streams = [gpustream.Stream() for _ in range(300)]
    with streams[0]:
        for other in streams:
            with other:
                assert gpustream.current_stream() is other
            assert gpustream.current_stream() is streams[0]
        for other in streams[1::2]:
            other.close()
        del streams[2::2], other
        assert gpustream.current_stream() is streams[0]


def test_cycles_through_scopes_are_collected():
    for keep in (lambda stream: stream.__exit__, lambda stream: stream.__enter__, gpustream.StreamContext,
                 lambda stream: gpustream.stream(stream).__exit__):
        stream = Named()
        stream.kept = keep(stream)
        ref = weakref.ref(stream)
        del stream
        gc.collect()
        assert ref() is None

    class Derived(gpustream.StreamContext):
        pass

    context = Derived(gpustream.Stream())
    context.leave = context.__exit__
    ref = weakref.ref(context)
    del context
    gc.collect()
    assert ref() is None


def test_stream_context_as_a_class():
    stream = gpustream.Stream()

    class Counted(gpustream.StreamContext):
        def __init__(self, first, second):
            super().__init__(second)
            self.first = first

    context = Counted(1, stream)
    with context, context as entered:
        assert entered is None and gpustream.current_stream() is stream
    assert context.first == 1 and context.stream is stream and gpustream.StreamContext(None).stream is None
    assert isinstance(gpustream.stream(stream=stream), gpustream.StreamContext)
    with pytest.raises(AttributeError):
        context.stream = None
    gpustream.stream(None).__exit__(*NOTHING)
    for arguments in ((), (stream, stream), (7,), (gpustream.Event(),)):
        for make in (gpustream.stream, gpustream.StreamContext):
            raises(TypeError, make, *arguments)
    closed = gpustream.Stream()
    context = gpustream.stream(closed)
    closed.close()
    with pytest.raises(gpustream.InvalidHandleError), context:
        pass
    assert gpustream.current_stream() == gpustream.default_stream()
