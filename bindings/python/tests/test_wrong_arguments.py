# SPDX-License-Identifier: Apache-2.0
"""All functions refuse wrong arguments by an ordinary exception: a SystemError, a crash or a hang is a failure."""
import re
import subprocess
import sys
from pathlib import Path

import gpustream
import pytest
from gpustream import _work
from support.refusals import raises

PROGRAM = Path(__file__).parent / "support/wrong_arguments.py"
core = gpustream._core


class EventWithoutInit(gpustream.Event):
    def __init__(self):
        pass


@pytest.mark.parametrize("which, most", [("1", 15000), ("2", 15000), ("public", 80000)])
def test_every_function_with_every_object(which, most, tmp_path):
    progress = tmp_path / "progress"
    try:
        done = subprocess.run([sys.executable, "-X", "faulthandler", PROGRAM, which, progress], capture_output=True, text=True, timeout=100)
    except subprocess.TimeoutExpired:
        pytest.fail(f"hangs in {progress.read_text().strip()}")
    assert done.returncode == 0, f"{progress.read_text().strip()}\n{done.stdout}{done.stderr}"
    calls = re.search(r"^(\d+) calls$", done.stdout, re.MULTILINE)  # gs_dump(1) has written there, too
    assert calls and int(calls[1]) > most, done.stdout


def test_the_program_reports_wrong_exceptions(tmp_path):
    """A function that raises SystemError fails it, and so does one that prints from a deallocator."""
    plant = f"""
import sys
sys.argv = ["wrong_arguments.py", "1", {str(tmp_path / "progress")!r}, "gs_trim", "gs_version"]
sys.path.insert(0, {str(PROGRAM.parent)!r})
import wrong_arguments
class Loud:
    def __del__(self): raise KeyError("loud")
def broken(*arguments): raise SystemError("planted")
wrong_arguments._core.gs_trim = broken
wrong_arguments._core.gs_version = lambda *arguments: Loud() and None
sys.exit(wrong_arguments.main())
"""
    done = subprocess.run([sys.executable, "-c", plant], capture_output=True, text=True, timeout=60)
    assert done.returncode == 1 and "SystemError: 'planted'" in done.stdout and "unraisable: KeyError" in done.stdout, done.stderr


def test_events_where_texts_are_expected():
    for wrong in (EventWithoutInit(), gpustream.Event(), 1, None, b"x"):
        raises(TypeError, "argument 'text' must be str", core.gs_mark, wrong)


def test_texts_that_c_would_cut_off():
    raises(ValueError, "argument 'text' contains a null character", core.gs_mark, "a\0b")
    raises(ValueError, "argument 'value'", core.gs_parse_visible_devices, "0\0001")


def test_stream_triples():
    for wrong in (0, None, "abc", [0, 0, 1], b"abc", EventWithoutInit()):
        raises(TypeError, "argument 'triple' must be tuple, not", core.gs_stream_unpack, wrong)
    for wrong in ((), (0, 0), (0, 0, 0, 0)):
        raises(TypeError, f"argument 'triple' must have 3 numbers, not {len(wrong)}", core.gs_stream_unpack, wrong)
    for wrong, name in (((0.0, 0, 1), "id"), ((0, None, 1), "device_index"), ((0, 0, True), "device_type")):
        raises(TypeError, f"argument '{name}'", core.gs_stream_unpack, wrong)
    for wrong, name in (((2**63, 0, 1), "id"), ((0, 2**31, 1), "device_index"), ((0, 0, -2**31 - 1), "device_type")):
        raises(OverflowError, f"argument '{name}'", core.gs_stream_unpack, wrong)
    stream = gpustream.Stream(1)
    assert core.gs_stream_unpack(core.gs_stream_pack(stream)) == stream


def test_launch_configurations():
    """A negative number is not the 32-bit number with the same bits."""
    for wrong in (0, [1] * 7):
        raises(TypeError, "argument 'config' must be dict", core.gs_kernel_launch, 0, wrong, None, None)
    for name in ("grid_x", "block_z", "shared_memory_bytes", "flags", "cluster_y"):
        for wrong, error in ((-1, OverflowError), (2**32, OverflowError), ("1", TypeError)):
            raises(error, f"argument '{name}'", core.gs_kernel_launch, 0, {name: wrong}, None, None)
    raises(TypeError, "clusters", _work._attributes, clusters=(1, 1, 1))


def test_modules_that_were_not_made(no_unraisable):
    """__del__ of such a module neither prints nor destroys anything."""

    class WithoutInit(gpustream._Module):
        def __init__(self):
            pass

    half = WithoutInit()
    raises(gpustream.InvalidHandleError, half.kernel, "x")
    half.close()
    del half
    for arguments in ((), (7,), (b"", 0), (b"x", object()), (b"x", 99), ("/nonexistent",), (b"not an image",)):
        raises((TypeError, ValueError, gpustream.Error), gpustream._Module, *arguments)
    assert no_unraisable == []
