# SPDX-License-Identifier: Apache-2.0
"""gpustream.profiler: the driver's switch is set, put back also by an exception, and a refusal is an error."""
import gpustream
import pytest
from gpustream import profiler

START = '''
import gpustream, pytest
from gpustream import profiler
from support.fake_driver import fake, inject
def calls(): return tuple(fake.fake_cuda_calls(name) for name in (b"cuProfilerStart", b"cuProfilerStop"))
'''


@pytest.fixture
def on_fake(run_python):
    def run(code, **variables):
        return run_python(START + code, GPUSTREAM_BACKEND="cuda", GPUSTREAM_LIBCUDA=pytest.fake_cuda(), **variables)

    return run


def test_start_stop_and_a_block(on_fake):
    on_fake('''
assert profiler.start() is None and calls() == (1, 0)
assert profiler.stop() is None and calls() == (1, 1)
with profiler.profile():
    assert calls() == (2, 1)
assert calls() == (2, 2)
with pytest.raises(KeyError), profiler.profile():
    raise KeyError("of the block")
assert calls() == (3, 3)
assert gpustream.cudart().cudaProfilerStop() == 0 and calls() == (3, 4)
''')


def test_a_refusal_is_an_error(on_fake):
    on_fake('''
gpustream.init()
inject(b"cuProfilerStart", 5)
with pytest.raises(gpustream.CudaError, match="profiler disabled") as caught:
    profiler.start()
assert caught.value.native_code == 5
inject(b"cuProfilerStop", 201)
assert gpustream.cudart().cudaProfilerStop() == 201
before = calls()
inject(b"cuProfilerStart", 5)
with pytest.raises(gpustream.CudaError), profiler.profile():
    raise SystemExit("the block runs although nothing is collected")
assert calls()[1] == before[1], "nothing is stopped that did not start"
''')


def test_a_driver_without_it(on_fake):
    on_fake('''
for call in (profiler.start, profiler.stop):
    with pytest.raises(gpustream.CudaError) as caught:
        call()
    assert caught.value.native_code == 801
''', FAKE_CUDA_MISSING="cuProfilerStart,cuProfilerStop")


def test_without_a_profiler():
    with profiler.profile():
        gpustream.current_stream().synchronize()
    assert gpustream.profiler is profiler and sorted(profiler.__all__) == ["profile", "start", "stop"]
