# SPDX-License-Identifier: Apache-2.0
"""current_blas_handle() on the fake driver and a fake cuBLAS: one handle for each thread, device and stream."""
import os

import pytest

pytestmark = pytest.mark.needs_variable("GPUSTREAM_TEST_FAKE_CUBLAS")

START = """
import ctypes, os
import gpustream
from support.at_once import in_thread
fake = ctypes.CDLL(os.environ["GPUSTREAM_TEST_FAKE_CUBLAS"])
fake.fake_cublas_stream.argtypes, fake.fake_cublas_stream.restype = [ctypes.c_void_p], ctypes.c_void_p
def handle():
    return gpustream.current_blas_handle()
def bound(handle):
    return fake.fake_cublas_stream(handle) or 0
def failure(**environment):
    os.environ.update(environment)
    try:
        handle()
    except gpustream.Error as error:
        return f"{type(error).__name__} {error.native_code} {error.native_function} {error}"
"""


def fake(version=None):
    path = os.environ["GPUSTREAM_TEST_FAKE_CUBLAS"]
    return path if version is None else os.path.join(os.path.dirname(path), str(version), f"libcublas.so.{version}")


def test_one_per_thread_device_and_stream(run_python):
    assert run_python(START + """
seen = {handle()}
assert bound(next(iter(seen))) == 0
for device in (0, 1):
    with gpustream.stream(gpustream.Stream(device)) as scope:
        stream = gpustream.current_stream()
        mine = handle()
        assert mine not in seen and bound(mine) == stream.cuda_stream and handle() == mine
        seen.add(mine)
        def elsewhere():
            with gpustream.stream(stream):
                return handle()
        other = in_thread(elsewhere)
        assert other not in seen and bound(other) == stream.cuda_stream
        seen.add(other)
        assert in_thread(elsewhere) == other, "a thread that has ended leaves its handles"
print("passed")
""", **pytest.fakes(), GPUSTREAM_LIBCUBLAS=fake()) == "passed\n"


def test_failures(run_python):
    out = run_python(START + """
print(failure(FAKE_CUBLAS_CREATE="3"))
print(failure(FAKE_CUBLAS_CREATE="14"))
del os.environ["FAKE_CUBLAS_CREATE"]
assert handle()
gpustream.set_device("host:1")
print(failure())
""", **pytest.fakes(), GPUSTREAM_LIBCUBLAS=fake())
    memory, other, host = out.splitlines()
    assert memory.startswith("OutOfMemoryError 3 cublasCreate_v2 ") and "(cuBLAS status 3)" in memory
    assert other.startswith("DriverError 14 cublasCreate_v2 ")
    assert host.startswith("NotSupportedError ") and "the host backend has none" in host


def test_a_capture_of_another_thread_survives(run_python):
    """cuBLAS allocates, which breaks captures in global mode unless the thread is in the relaxed one."""
    assert run_python(START + """
stream = gpustream.Stream()
for round in range(2):  # makes a handle, then binds one
    graph = gpustream.CUDAGraph()
    with gpustream.stream(stream):
        graph.capture_begin(capture_error_mode="global")
        assert in_thread(handle)
        graph.capture_end()
print("passed")
""", **pytest.fakes(), GPUSTREAM_LIBCUBLAS=fake(), PYTHONWARNINGS="ignore") == "passed\n", "the graphs are empty"


def test_of_the_library_that_the_process_works_with(run_python):
    """A handle of one version is invalid for the functions of another."""
    code = START + """
libraries = [ctypes.CDLL(path) for path in os.environ["LOADED"].split(":")]
assert handle()
print(*(library.fake_cublas_handles() for library in libraries))
"""
    found = {"LD_LIBRARY_PATH": os.path.dirname(fake(13))}
    assert run_python(code, **pytest.fakes(), **found, LOADED=fake(12)) == "1\n", "13 is there, but not loaded"
    assert run_python(code, **pytest.fakes(), LOADED=f"{fake(12)}:{fake(13)}") == "0 1\n", "the newer of two"


def test_a_library_that_comes_later(run_python, tmp_path):
    path = tmp_path / "late.so"
    out = run_python(START + """
path = os.environ["GPUSTREAM_LIBCUBLAS"]
print(failure())
os.symlink(os.environ["GPUSTREAM_TEST_FAKE_CUBLAS"], path)
assert handle()
os.unlink(path)
assert handle(), "the one that was found stays"
""", **pytest.fakes(), GPUSTREAM_LIBCUBLAS=str(path))
    assert out.startswith("NotSupportedError ") and str(path) in out


def test_no_library(run_python, tmp_path):
    pipe = tmp_path / "pipe.so"
    os.mkfifo(pipe)
    for path, text in (("/no/such/libcublas.so", "/no/such/libcublas.so"), (str(pipe), "is not a file"),
                       (os.environ["GPUSTREAM_TEST_FAKE_NVML"], "cublasCreate_v2")):
        out = run_python(START + "print(failure())", **pytest.fakes(), GPUSTREAM_LIBCUBLAS=path)
        assert out.startswith("NotSupportedError ") and "no cuBLAS" in out and text in out, out
