# SPDX-License-Identifier: Apache-2.0
"""The native helpers of the parity cases (tests/parity/native.c): gates that hold a stream, counters."""
import atexit
import ctypes
import functools
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[4]


@functools.cache
def path():
    """The compiled library: GPUSTREAM_TEST_NATIVE, or compiled now."""
    given = os.environ.get("GPUSTREAM_TEST_NATIVE")
    if given:
        return given
    folder = tempfile.mkdtemp(prefix="gpustream-native-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    target = os.path.join(folder, "native.so")
    subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-pthread", f"-I{ROOT}/include", str(ROOT / "tests/parity/native.c"), "-o", target],
                   check=True)
    os.environ["GPUSTREAM_TEST_NATIVE"] = target  # child processes use the same
    return target


@functools.cache
def library():
    """libgpustream itself, for ctypes."""
    core = ctypes.CDLL("libgpustream.so.0", mode=os.RTLD_NOLOAD)
    core.gs_stream_launch_host.argtypes = [ctypes.c_void_p] * 3
    return core


@functools.cache
def helpers():
    functions = ctypes.CDLL(path())
    functions.parity_gate_new.restype = ctypes.c_void_p
    functions.parity_gate_open.argtypes = [ctypes.c_void_p]
    functions.parity_counter_new.restype = ctypes.c_void_p
    functions.parity_counter_get.argtypes = [ctypes.c_void_p]
    functions.parity_counter_get.restype = ctypes.c_int64
    return functions


def launch_host(stream, name, argument):
    function = ctypes.cast(getattr(helpers(), name), ctypes.c_void_p)
    status = library().gs_stream_launch_host(stream.handle, function, argument)
    assert status == 0, status


class Gate:
    """Work in a stream that is done when open() has been called: what makes "not done yet" certain."""

    def __init__(self):
        self._gate = helpers().parity_gate_new()

    def hold(self, stream):
        launch_host(stream, "parity_gate_wait", self._gate)

    def open(self):
        helpers().parity_gate_open(self._gate)
