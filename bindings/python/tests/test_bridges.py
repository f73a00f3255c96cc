# SPDX-License-Identifier: Apache-2.0
"""Libraries with a current stream of their own, as objects in Python: led and followed."""
import gc
import threading
import weakref

import gpustream
import pytest
from gpustream import interop
from support.refusals import raises


class Library:
    """One that keeps a current stream for each device and thread."""

    def __init__(self, name="library"):
        self.name, self.threads, self.calls = name, threading.local(), []
        self.fails = set()

    @property
    def streams(self):
        return self.threads.__dict__.setdefault("streams", {})

    def get(self, device_index):
        self.calls.append("get")
        if "get" in self.fails:
            raise KeyError("get fails")
        return self.streams.get(device_index, 0)

    def set(self, device_index, stream):
        self.calls.append("set")
        if "set" in self.fails:
            raise KeyError("set fails")
        self.streams[device_index] = stream


class ReadOnly:
    name = "read only"

    def __init__(self, stream):
        self.stream = stream

    def get(self, device_index):
        return self.stream.cuda_stream if device_index == self.stream.device_index else 0


@pytest.fixture
def library():
    one = Library()
    interop.register_bridge(one)
    yield one
    one.fails.clear()
    interop.unregister_bridge(one.name)


def test_blocks_move_the_librarys_stream(library):
    one, two, far = gpustream.Stream(), gpustream.Stream(), gpustream.Stream(1)
    with one:
        assert library.streams == {} and library.calls == []
    library.streams[0] = two.cuda_stream
    with interop.lead("library"):
        assert library.streams == {0: two.cuda_stream}
        with one:
            assert library.streams[0] == one.cuda_stream
            with gpustream.stream(far):
                assert library.streams == {0: one.cuda_stream, 1: far.cuda_stream}
            assert library.streams == {0: one.cuda_stream, 1: 0}
        assert library.streams[0] == two.cuda_stream
        gpustream.set_stream(one)
        assert library.streams[0] == one.cuda_stream
    with two:
        assert library.streams[0] == one.cuda_stream


def test_leading_is_counted(library):
    stream, outer = gpustream.Stream(), interop.lead("library")
    with interop.lead("library", "library"), stream:
        assert library.streams[0] == stream.cuda_stream
    with stream:
        assert library.streams[0] == stream.cuda_stream
    outer.end()
    outer.end()
    library.calls.clear()
    with stream:
        assert library.calls == []


def test_following(library):
    one, two = gpustream.Stream(), gpustream.Stream()
    library.streams[0] = one.cuda_stream
    with interop.follow("library"):
        assert gpustream.current_stream() == one and gpustream.current_raw_stream() == one.cuda_stream
        library.streams[0] = two.cuda_stream
        assert gpustream.current_stream() == two
        assert gpustream.Event().record() is None
        with one:
            assert library.streams[0] == one.cuda_stream and gpustream.current_stream() == one
        assert library.streams[0] == two.cuda_stream
        with interop.follow("library"):
            pass
        assert gpustream.current_stream() == two
        other = Library("second")
        interop.register_bridge(other)
        raises(gpustream.InvalidArgumentError, interop.follow, "second")
        interop.unregister_bridge("second")
    gpustream.set_stream(gpustream.default_stream())
    assert gpustream.current_stream() == gpustream.default_stream() and library.streams[0] == two.cuda_stream


def test_a_library_that_cannot_be_set():
    stream = gpustream.Stream()
    interop.register_bridge(ReadOnly(stream))
    try:
        raises(gpustream.NotSupportedError, interop.lead, "read only")
        with interop.follow("read only"):
            assert gpustream.current_stream() == stream
    finally:
        interop.unregister_bridge("read only")


def test_failures_of_a_library(library, no_unraisable):
    stream = gpustream.Stream()
    with interop.lead("library"):
        for name in ("get", "set"):
            library.fails = {name}
            with pytest.raises(gpustream.DriverError, match="library"), stream:
                pass
            assert gpustream.current_stream() == gpustream.default_stream()
            assert {str(one.exc_value) for one in no_unraisable} == {repr(f"{name} fails")}
            no_unraisable.clear()
        library.fails.clear()
        library.get = None  # looked up once, when it was registered
        with stream:
            assert library.streams[0] == stream.cuda_stream


def test_wrong_answers(no_unraisable):
    class Wrong(Library):
        answer = None

        def get(self, device_index):
            return self.answer

    wrong, stream = Wrong("wrong"), gpustream.Stream()
    interop.register_bridge(wrong)
    try:
        with interop.lead("wrong"):
            for answer in (None, "x", -1, 2**64, 1.5, True):
                wrong.answer = answer
                with pytest.raises(gpustream.DriverError), stream:
                    pass
        assert len(no_unraisable) == 6 and {one.exc_type for one in no_unraisable} <= {TypeError, OverflowError, ValueError}
        no_unraisable.clear()
    finally:
        interop.unregister_bridge("wrong")


def test_an_exception_that_is_on_its_way_stays(library):
    stream = gpustream.Stream()
    with interop.lead("library"), pytest.raises(ZeroDivisionError), stream:
        _ = 1 / 0
    assert library.streams[0] == 0


def test_names_and_registrations(library):
    for wrong in ("nothing", "torch", "tvm_ffi_", "cupy"):
        raises((gpustream.InvalidArgumentError, gpustream.UnavailableError), interop.lead, "library", wrong)
        raises((gpustream.InvalidArgumentError, gpustream.UnavailableError), interop.follow, wrong)
    library.calls.clear()
    with gpustream.Stream():
        assert library.calls == []  # what failed led none
    raises(gpustream.InvalidArgumentError, lambda: interop.register_bridge(Library()))
    for name in ("", "x" * 70):
        with pytest.raises(gpustream.InvalidArgumentError):
            interop.register_bridge(Library(name))
    raises((TypeError, AttributeError), lambda: interop.register_bridge(object()))
    with pytest.raises(TypeError, match="argument 'get' must be callable"):
        broken = Library("broken")
        broken.get = 7
        interop.register_bridge(broken)
    raises(gpustream.InvalidArgumentError, interop.unregister_bridge, "nothing")


def test_unregistering_releases_the_functions_and_ends_leading():
    one = Library("gone")
    interop.register_bridge(one)
    switch, stream = interop.lead("gone"), gpustream.Stream()
    with stream:
        interop.unregister_bridge("gone")
    ref = weakref.ref(one)
    del one
    gc.collect()
    assert ref() is None
    switch.end()
    interop.register_bridge(Library("gone"))
    interop.unregister_bridge("gone")


def test_names_that_are_none():
    for call in (interop.lead, interop.follow, interop.unregister_bridge):
        raises(TypeError, "must be str, not NoneType", call, None)
