# SPDX-License-Identifier: Apache-2.0
"""gpustream.nvtx: torch's names, what threads and exceptions do to ranges, and what a tool hears."""
import inspect

import gpustream
import pytest
from gpustream import nvtx
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
