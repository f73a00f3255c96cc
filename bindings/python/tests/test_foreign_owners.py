# SPDX-License-Identifier: Apache-2.0
"""Who owns a stream of another library, and when it is let go."""
import pytest


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
