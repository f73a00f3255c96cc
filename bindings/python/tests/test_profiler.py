# SPDX-License-Identifier: Apache-2.0
"""gpustream.profiler: the driver's switch is set, put back also by an exception, and a refusal is an error."""
import gpustream
import pytest
from gpustream import _backends, _core, profiler


class Switch(_backends.Special):
    """Stands for a driver's switch. codes: what the next calls return, 0 when they are used up."""

    def __init__(self):
        self.calls, self.codes = [], []

    def profile(self, on):
        self.calls.append(on)
        return self.codes.pop(0) if self.codes else 0


@pytest.fixture
def switch(monkeypatch):
    made = Switch()
    monkeypatch.setattr(_backends, "special", lambda number: made if number == _core.gs_default_backend() else None)
    return made


def test_start_and_stop(switch):
    assert profiler.start() is None and switch.calls == [True]
    assert profiler.stop() is None and switch.calls == [True, False]


def test_a_block(switch):
    with profiler.profile():
        assert switch.calls == [True]
    assert switch.calls == [True, False]
    with pytest.raises(KeyError, match="of the block"), profiler.profile():
        raise KeyError("of the block")
    assert switch.calls == [True, False] * 2


def test_a_refusal_is_an_error(switch):
    switch.codes = [801, 201]
    with pytest.raises(gpustream.CudaError) as caught:
        profiler.start()
    assert caught.value.native_code == 801
    with pytest.raises(gpustream.CudaError) as caught:
        profiler.stop()
    assert caught.value.native_code == 201
    switch.calls.clear()
    switch.codes = [801]
    with pytest.raises(gpustream.CudaError), profiler.profile():
        pytest.fail("the block runs although nothing is collected")
    assert switch.calls == [True], "nothing is stopped that did not start"
    switch.codes = [0, 801]
    with pytest.raises(gpustream.CudaError), profiler.profile():
        pass


def test_without_a_profiler():
    runtime = gpustream.cudart()
    if runtime.cudaProfilerStop() == 801:
        with pytest.raises(gpustream.CudaError):
            profiler.stop()
    else:
        with profiler.profile():
            gpustream.current_stream().synchronize()
    assert gpustream.profiler is profiler and sorted(profiler.__all__) == ["profile", "start", "stop"]
