# SPDX-License-Identifier: Apache-2.0
"""Classes that users derive: by __new__ or by nothing, as torch's, or by an __init__ of other arguments, as Python's."""
import gc
import weakref

import gpustream
import pytest
from gpustream import generic
from support.refusals import raises

STREAMS = [gpustream.Stream, generic.Stream]
EVENTS = [gpustream.Event, generic.Event]
BOTH = pytest.mark.parametrize("base", STREAMS + EVENTS, ids=lambda base: f"{base.__module__}.{base.__name__}")


def alive(thing):
    assert hash(thing) == hash(thing) and thing == thing and thing.query() is True and thing.handle
    return thing


def streams_created():
    return gpustream._stats()["streams_created"]


@BOTH
def test_new_that_passes_nothing_on(base):
    class Named(base):
        def __new__(cls, name):
            return super().__new__(cls)

        def __init__(self, name):
            self.name = name

    assert alive(Named("copy")).name == "copy"


@BOTH
def test_init_that_passes_nothing_on(base):
    class Counted(base):
        def __init__(self, *arguments):
            self.count = len(arguments) if alive(self) else None

    assert alive(Counted()).count == 0 and alive(Counted(1)).count == 1


@pytest.mark.parametrize("base", STREAMS)
def test_init_that_passes_nothing_on_has_new_use_the_arguments(base):
    class Quiet(base):
        def __init__(self, *arguments, **keywords):
            pass

    stream = alive(Quiet(1, priority=-1))
    assert (stream.device_index, stream.priority) == (1, -1)
    with stream:
        assert gpustream.current_stream() == stream


@BOTH
def test_new_alone(base):
    alive(base.__new__(base))
    alive(base.__new__(type("Derived", (base,), {"__init__": lambda self: None})))
    raises((TypeError, ValueError, RuntimeError), base.__new__, base, "no device, no flag")


def test_new_alone_with_arguments():
    assert gpustream.Stream.__new__(gpustream.Stream, 1).device_index == 1
    assert gpustream.Event.__new__(gpustream.Event, True)._flags == 1


@pytest.mark.parametrize("base", STREAMS)
def test_new_decides_where_it_was_told(base):
    class Told(base):
        def __new__(cls, device):
            return super().__new__(cls, device)

        def __init__(self, device):
            super().__init__()

    before = streams_created()
    assert alive(Told(1)).device_index == 1 and streams_created() - before == 1


@pytest.mark.parametrize("base", STREAMS)
@pytest.mark.parametrize("by_new", [False, True])
def test_init_that_passes_other_arguments_on_decides(base, by_new):
    class Urgent(base):
        if by_new:
            def __new__(cls, *arguments):
                return super().__new__(cls)

        def __init__(self, priority, device=1):
            super().__init__(device, priority=priority)
            first = self.handle
            super().__init__()
            assert self.handle == first  # once is enough

    for priority in (0, -1):
        stream = alive(Urgent(priority))
        assert (stream.device_index, stream.priority) == (1, priority)
    assert alive(Urgent(7)).device_index == 1  # 7 is not a device, but it was not passed as one
    assert alive(Urgent(-1, 0)).device_index == 0
    raises(gpustream.InvalidDeviceError, Urgent, 0, 99)


@pytest.mark.parametrize("base", STREAMS)
def test_init_may_name_a_live_stream(base):
    live = base(1)

    class Same(base):
        def __init__(self):
            super().__init__(stream_id=live.stream_id, device_index=live.device_index)

    same = Same()
    assert same == live and same.handle == live.handle


def test_init_that_passes_the_same_on_makes_one_stream():
    class Same(gpustream.Stream):
        def __init__(self, *arguments, **keywords):
            super().__init__(*arguments, **keywords)

    before = streams_created()
    for arguments, keywords in (((), {}), ((1,), {}), ((1, -1), {}), ((), {"priority": -1}), (("cuda:1",), {})):
        alive(Same(*arguments, **keywords))
    assert streams_created() - before == 5
    assert Same(shared=True)._flags == gpustream.Stream(shared=True)._flags


def test_streams_given_up_for_another_are_given_back():
    class Other(gpustream.Stream):
        def __init__(self, device):
            super().__init__(1 - device)

    alive(Other(0))
    before = gpustream._stats()["stream_pool_misses"]
    for _ in range(100):
        alive(Other(0))
    assert gpustream._stats()["stream_pool_misses"] - before < 50


def test_init_of_an_event_decides():
    class Timed(gpustream.Event):
        def __init__(self, blocking):
            super().__init__(enable_timing=True, blocking=blocking)

    assert alive(Timed(False))._flags == 1 and alive(Timed(True))._flags == 3

    class Contradiction(gpustream.Event):
        def __init__(self):
            super().__init__(enable_timing=True, interprocess=True)

    raises(RuntimeError, lambda: Contradiction().record())


@BOTH
def test_names_slots_and_cycles(base):
    class Slots(base):
        __slots__ = ("tag",)

    thing = alive(Slots())
    assert "Slots" in repr(thing) or base.__module__ == "gpustream.generic"
    thing.tag = thing
    ref = weakref.ref(thing)
    del thing
    gc.collect()
    assert ref() is None


@BOTH
def test_wrong_arguments_without_an_init(base):
    class New(base):
        def __new__(cls, *arguments):
            return super().__new__(cls, *arguments)

        def __init__(self, *arguments):
            pass

    for kind in (New, type("Plain", (base,), {})):
        raises((TypeError, ValueError, RuntimeError), kind, "no device, no flag")


def test_external_streams():
    """As in torch: __new__ takes the call's arguments, so other ones need a __new__."""
    keeper = gpustream.Stream()

    class Tagged(gpustream.ExternalStream):
        def __init__(self, number, *device):
            self.tag = "x" if alive(self) else None

    class New(gpustream.ExternalStream):
        def __new__(cls, number, tag):
            return super().__new__(cls, number)

        def __init__(self, number, tag):
            self.tag = tag

    for stream in (Tagged(keeper.cuda_stream), Tagged(keeper.cuda_stream, 0), New(keeper.cuda_stream, "x")):
        assert alive(stream).tag == "x" and stream == keeper
