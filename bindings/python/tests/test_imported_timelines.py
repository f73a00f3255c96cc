# SPDX-License-Identifier: Apache-2.0
"""gpustream.Timeline.from_fd(), and batches of operations on words."""
import os

import gpustream
import pytest


def test_what_is_no_semaphore():
    read, write = os.pipe()
    try:
        wrong = gpustream.NotSupportedError if gpustream.Device("cuda").type == "host" else gpustream.InvalidArgumentError
        with pytest.raises(wrong):
            gpustream.Timeline.from_fd(0, read)
        with pytest.raises(gpustream.InvalidArgumentError):
            gpustream.Timeline.from_fd(0, read, 0)
        with pytest.raises(gpustream.InvalidArgumentError):
            gpustream.Timeline.from_fd(0, -1)
        with pytest.raises(gpustream.InvalidDeviceError):
            gpustream.Timeline.from_fd(99, read)
        with pytest.raises(OverflowError):
            gpustream.Timeline.from_fd(0, 2**31)
        os.fstat(read)  # still the caller's
    finally:
        os.close(read)
        os.close(write)


def test_a_semaphore_of_another_api(run_python):
    """The fake driver stands for both sides."""
    out = run_python("""
import ctypes, os
import gpustream
stream = gpustream.Stream()
stream.synchronize()
driver = ctypes.CDLL(os.environ["GPUSTREAM_LIBCUDA"])
driver.fake_cuda_make_semaphore.argtypes = [ctypes.c_uint64]
driver.fake_cuda_signal_semaphore.argtypes = [ctypes.c_int, ctypes.c_uint64]
semaphore = driver.fake_cuda_make_semaphore(0)
given = os.dup(semaphore)
with gpustream.Timeline.from_fd(0, given) as timeline:
    try:
        os.fstat(given)
        print("open")
    except OSError:
        print("the driver's")
    timeline.wait(1, stream)
    timeline.signal(2, stream)
    print(stream.query())
    for call in (lambda: timeline.value, lambda: timeline.set(3), lambda: timeline.synchronize(2)):
        try:
            call()
        except gpustream.NotSupportedError:
            print("streams only")
    driver.fake_cuda_signal_semaphore(semaphore, 1)
    stream.synchronize()
value = ctypes.c_uint64()
driver.fake_cuda_semaphore_value(semaphore, ctypes.byref(value))
print(value.value)
""", GPUSTREAM_BACKEND="cuda", GPUSTREAM_LIBCUDA=pytest.fake_cuda())
    assert out.splitlines() == ["the driver's", "False", "streams only", "streams only", "streams only", "2"], out
