# SPDX-License-Identifier: Apache-2.0
"""gpustream.nvtx: torch's names, what threads and exceptions do to ranges, and what a tool hears; gpustream.profiler: the driver's switch."""
import inspect

import gpustream
import pytest
from gpustream import nvtx, profiler
from support.at_once import in_thread
from support.refusals import raises

EVERYTHING = '''
from gpustream import nvtx
with nvtx.range("step {} of {total}", 1, total=3):
    nvtx.mark("here")
@nvtx.range("decorated")
def work():
    pass
work()
number = nvtx.range_start("epoch \\u00e4")
nvtx.range_end(number)
'''


def test_depths():
    assert nvtx.range_push("outer") == 0
    assert nvtx.range_push("inner") == 1
    assert nvtx.range_pop() == 1
    assert nvtx.range_pop() == 0
    assert nvtx.range_pop() == -1
    assert nvtx.range_push("again") == 0
    assert nvtx.range_pop() == 0


def test_a_block_ends_its_range_by_an_exception():
    with pytest.raises(KeyError), nvtx.range("fails"):
        raise KeyError
    assert nvtx.range_pop() == -1
    with pytest.raises(KeyError), nvtx.range("{missing}"):
        pytest.fail("the block runs although its name cannot be made")
    assert nvtx.range_pop() == -1


def test_started_ranges():
    number = nvtx.range_start("epoch")
    assert isinstance(number, int) and number > 0
    in_thread(nvtx.range_end, number)
    raises(gpustream.ScopeError, nvtx.range_end, number)
    raises(OverflowError, nvtx.range_end, -1)


@pytest.mark.parametrize("call", [nvtx.range_push, nvtx.range_start, nvtx.mark])
@pytest.mark.parametrize("wrong", [None, 3, b"bytes"])
def test_names_are_str(call, wrong):
    raises((TypeError, gpustream.InvalidArgumentError), call, wrong)


def test_names_of_any_length():
    for name in ("", "x" * 100_000, "\u00e4\U0001F600", "control\n"):
        with nvtx.range("{}", name):
            nvtx.mark(name)


def test_torchs_names():
    assert gpustream.nvtx is nvtx
    assert sorted(nvtx.__all__) == ["mark", "range", "range_end", "range_pop", "range_push", "range_start"]
    assert str(inspect.signature(nvtx.range_push)).startswith("(msg: ") and list(inspect.signature(nvtx.range).parameters) == ["msg", "args", "kwargs"]


def test_a_tool_hears_them(run_python, tmp_path):
    log = tmp_path / "heard"
    run_python(EVERYTHING, NVTX_INJECTION64_PATH=pytest.fake_nvtx(), FAKE_NVTX_LOG=str(log))
    assert log.read_text(encoding="utf-8").splitlines() == [
        "started 0 ", "push 0 step 1 of 3", "mark 0 here", "pop 0 ", "push 0 decorated", "pop 0 ", "start 7001 epoch \u00e4", "end 7001 "]


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
