# SPDX-License-Identifier: Apache-2.0
"""Sync debug mode, counters, and messages of the library."""
import os
import warnings

import gpustream
import pytest
from support.refusals import raises

TEXT = "called a synchronizing operation" if os.environ["GPUSTREAM_BACKEND"] == "host" else "called a synchronizing CUDA operation"


def test_modes():
    for mode, number in ((1, 1), ("warn", 1), (2, 2), ("error", 2), ("default", 0), (0, 0)):
        assert gpustream.set_sync_debug_mode(mode) is None
        assert gpustream.get_sync_debug_mode() == number


@pytest.mark.parametrize("mode", ["x", "", "WARN", 3, -1, 2**40])
def test_bad_modes_change_nothing(mode):
    gpustream.set_sync_debug_mode("warn")
    raises(RuntimeError, "^invalid value of debug_mode, expected one of `default`, `warn`, `error`$", gpustream.set_sync_debug_mode, mode)
    assert gpustream.get_sync_debug_mode() == 1


@pytest.mark.parametrize("mode", [None, 1.0, True, []])
def test_wrong_types_of_mode(mode):
    raises(TypeError, gpustream.set_sync_debug_mode, mode)


def test_error_mode_does_not_wait(gate):
    gate(stream := gpustream.Stream())
    event = stream.record_event()
    gpustream.set_sync_debug_mode("error")
    raises(gpustream.SyncForbiddenError, rf"^{TEXT}: set_sync_debug_mode\('error'\) at .*test_debug.py:\d+ says so$", stream.synchronize)
    gpustream.set_sync_debug_mode("default")
    assert event.query() is False


def test_warn_mode_names_the_callers_line():
    """Also where Python code of the package lies between."""
    buffer = gpustream.Buffer.zeros(8)
    gpustream.set_sync_debug_mode("warn")
    for wait in (lambda: gpustream.Stream().synchronize(), lambda: buffer.to_bytes()):
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            wait()
        assert [(str(w.message), w.category, w.filename, w.lineno) for w in seen] == [(TEXT, UserWarning, __file__, wait.__code__.co_firstlineno)]


@pytest.mark.parametrize("limit", [0, 0.1])
def test_a_wait_in_slices_warns_once(gate, limit):
    """The main thread waits in slices of 20 ms, so that Ctrl-C ends a wait."""
    gate(stream := gpustream.Stream())
    event, timeline = stream.record_event(), gpustream.Timeline()
    waits = [
        lambda: stream.synchronize(limit), lambda: event.synchronize(limit), lambda: gpustream.synchronize(timeout=limit),
        lambda: timeline.synchronize(1, limit), lambda: gpustream.wait_any([event], limit), lambda: gpustream.wait_all([event], limit),
    ]
    gpustream._set_sync_debug_scope(1)
    gpustream.set_sync_debug_mode("warn")
    for wait in waits:
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            raises(gpustream.TimeLimitError, wait)
        assert [(str(w.message), w.category, w.filename, w.lineno) for w in seen] == [(TEXT, UserWarning, __file__, wait.__code__.co_firstlineno)]
    gpustream.set_sync_debug_mode("error")
    for wait in waits:
        raises(gpustream.SyncForbiddenError, wait)
    gpustream.set_sync_debug_mode("default")


def test_warn_mode_before_the_wait(gate):
    gate(stream := gpustream.Stream())
    gpustream.set_sync_debug_mode("warn")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        raises(UserWarning, TEXT, stream.synchronize)
    assert stream.query() is False


def test_what_warns():
    stream, event, never = gpustream.Stream(), gpustream.Event(), gpustream.Event()
    event.record(stream)
    gpustream.set_sync_debug_mode("warn")
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        event.synchronize()
        gpustream.synchronize()
        stream.query(), event.query()
        assert not seen
        gpustream._set_sync_debug_scope(1)
        assert gpustream._get_sync_debug_scope() == 1
        event.synchronize()
        gpustream.synchronize()
        never.synchronize()
    assert [str(w.message) for w in seen] == [TEXT, TEXT]
    gpustream.set_sync_debug_mode("error")
    for call in (event.synchronize, gpustream.synchronize, stream.synchronize):
        raises(gpustream.SyncForbiddenError, call)
    never.synchronize()


def test_the_librarys_own_warning_is_not_shown(run_python):
    out = run_python("""
import gpustream
stream = gpustream.Stream()
gpustream.set_sync_debug_mode(1)
stream.synchronize()
""")
    assert out.count("called a synchronizing") == 1 and "UserWarning" in out, out


def test_messages_of_the_library_are_warnings(run_python):
    out = run_python("import gpustream; gpustream.init(); print(end='')", GPUSTREAM_HOST_WORKERS="many", GPUSTREAM_BACKEND="host")
    assert "RuntimeWarning: gpustream: " in out and "GPUSTREAM_HOST_WORKERS" in out, out


@pytest.mark.parametrize("hook", ["sys.unraisablehook", "lambda item: print('Exception ignored in', item.exc_value)"])
def test_errors_of_the_library_go_to_the_unraisable_hook(run_python, hook):
    out = run_python(f"""
import sys
import gpustream
sys.unraisablehook = {hook}
try:
    gpustream.Stream()
except gpustream.DriverError:
    pass
print("goes on")
""", GPUSTREAM_BACKEND="cuda", GPUSTREAM_LIBCUDA=pytest.fake_cuda(), FAKE_CUDA_FAIL="cuThreadExchangeStreamCaptureMode,2,1,0,1")
    assert "goes on" in out and out.count("Exception ignored in") == 1, out
    assert "gpustream met a failure that had no caller: cuThreadExchangeStreamCaptureMode failed" in out, out


@pytest.mark.parametrize("scope", ["x", None, 1.0, True])
def test_wrong_types_of_scope(scope):
    raises(TypeError, rf"^argument 'value' must be int, not {type(scope).__name__}$", gpustream._set_sync_debug_scope, scope)
    raises(gpustream.InvalidArgumentError, gpustream._set_sync_debug_scope, 9)
    assert gpustream._get_sync_debug_scope() == 0
