# SPDX-License-Identifier: Apache-2.0
"""gpustream.accelerator: the default backend under torch.accelerator's names."""
import gpustream
import pytest
from gpustream import accelerator
from support.refusals import raises


def test_the_same_functions():
    for name, other in [("current_device_index", "current_device"), ("set_device_index", "set_device"), ("current_stream",) * 2,
                        ("set_stream",) * 2, ("synchronize",) * 2, ("device_count",) * 2, ("is_available",) * 2]:
        assert getattr(accelerator, name) is getattr(gpustream, other), name
    assert accelerator.current_device_idx is accelerator.current_device_index
    assert accelerator.set_device_idx is accelerator.set_device_index
    assert gpustream.accelerator is accelerator


def test_the_accelerator():
    found = accelerator.current_accelerator()
    assert isinstance(found, gpustream.Device) and found.index is None
    assert gpustream.Stream().device.type == found.type
    assert accelerator.current_accelerator(check_available=True) == found


def test_no_device(run_python):
    program = "from gpustream import accelerator as a; print(a.current_accelerator(True), a.current_accelerator(), a.device_count())"
    assert run_python(program, GPUSTREAM_BACKEND="cuda", GPUSTREAM_LIBCUDA="/nowhere").split() == ["None", "cuda", "0"]


def test_device_index():
    gpustream.set_device(0)
    with accelerator.device_index(1):
        assert accelerator.current_device_index() == 1
        with accelerator.device_index(None):
            assert accelerator.current_device_index() == 1
        with accelerator.device_index(-1):
            assert accelerator.current_device_index() == 1
        with accelerator.device_index(0), pytest.raises(KeyError):
            raise KeyError
        assert accelerator.current_device_index() == 1
    assert accelerator.current_device_index() == 0


@pytest.mark.parametrize("wrong", ["host:1", 1.0, True, object()], ids=repr)
def test_device_index_takes_ints(wrong):
    raises(TypeError, "argument 'device' must be int", accelerator.device_index, wrong)


def test_no_such_device():
    before = gpustream.current_device()
    with pytest.raises(gpustream.InvalidDeviceError), accelerator.device_index(64):
        pass
    assert gpustream.current_device() == before


def test_memory():
    gpustream.Stream(0)  # the fake driver's memory is reported inside a context only
    free, total = accelerator.get_memory_info(0)
    assert 0 <= free <= total and total == gpustream.mem_get_info(0)[1]
