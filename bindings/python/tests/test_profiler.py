# SPDX-License-Identifier: Apache-2.0
"""gpustream.profiler: the driver's switch is set, put back also by an exception, and a refusal is an error."""
import gpustream
import pytest
from gpustream import profiler

FAKE = '''
import ctypes, os
import gpustream
from gpustream import profiler
fake = ctypes.CDLL(os.environ["GPUSTREAM_LIBCUDA"])
fake.fake_cuda_calls.restype = ctypes.c_uint64

class Fault(ctypes.Structure):
    _fields_ = [("function", ctypes.c_char_p), ("nth", ctypes.c_uint64), ("thread", ctypes.c_uint64), ("code", ctypes.c_int32),
                ("phase", ctypes.c_int32), ("mode", ctypes.c_int32), ("device", ctypes.c_int32)]

def refuse(function, code): fake.fake_cuda_inject(ctypes.byref(Fault(function, 1, 0, code, 0, 0, -1)))
def calls(): return tuple(fake.fake_cuda_calls(name) for name in (b"cuProfilerStart", b"cuProfilerStop"))
'''


@pytest.fixture
def on_fake(run_python):
    def run(code, **variables):
        return run_python(FAKE + code, GPUSTREAM_BACKEND="cuda", GPUSTREAM_LIBCUDA=pytest.fake_cuda(), **variables)

    return run


def test_start_stop_and_a_block(on_fake):
    on_fake('''
assert profiler.start() is None and calls() == (1, 0)
assert profiler.stop() is None and calls() == (1, 1)
with profiler.profile():
    assert calls() == (2, 1)
assert calls() == (2, 2)
try:
    with profiler.profile():
        raise KeyError("of the block")
except KeyError:
    pass
assert calls() == (3, 3)
assert gpustream.cudart().cudaProfilerStop() == 0 and calls() == (3, 4)
''')


def test_a_refusal_is_an_error(on_fake):
    on_fake('''
gpustream.init()
refuse(b"cuProfilerStart", 5)
try:
    profiler.start()
except gpustream.CudaError as error:
    assert error.native_code == 5 and "profiler disabled" in str(error)
else:
    raise SystemExit("nothing was raised")
refuse(b"cuProfilerStop", 201)
assert gpustream.cudart().cudaProfilerStop() == 201
before = calls()
refuse(b"cuProfilerStart", 5)
try:
    with profiler.profile():
        raise SystemExit("the block runs although nothing is collected")
except gpustream.CudaError:
    pass
assert calls()[1] == before[1], "nothing is stopped that did not start"
''')


def test_a_driver_without_it(on_fake):
    on_fake('''
for call in (profiler.start, profiler.stop):
    try:
        call()
    except gpustream.CudaError as error:
        assert error.native_code == 801
    else:
        raise SystemExit("nothing was raised")
''', FAKE_CUDA_MISSING="cuProfilerStart,cuProfilerStop")


def test_without_a_profiler():
    with profiler.profile():
        gpustream.current_stream().synchronize()
    assert gpustream.profiler is profiler and sorted(profiler.__all__) == ["profile", "start", "stop"]


def test_failures_that_are_not_the_drivers(run_python):
    run_python('''
import os
import gpustream
gpustream.init()
child = os.fork()
if child == 0:
    try:
        gpustream.profiler.start()
    except gpustream.BadForkError:
        os._exit(0)
    os._exit(1)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
''')
