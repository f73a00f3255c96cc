# SPDX-License-Identifier: Apache-2.0
"""gpustream.accelerator, and torch's names that a library without tensors lacks: each works or says why. The list is torch 2.11's own, with the names that are new in 2.15."""
import json
import re
from pathlib import Path

import gpustream
import pytest
from gpustream import _absent, accelerator
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


NAMES = json.loads((Path(__file__).parent / "support/torch_cuda_names.json").read_text(encoding="utf-8"))


NEW = ["caching_allocator_disabled", "current_solver_handle", "export_dot", "export_graph_data", "graph_annotations"]
CASES = [(gpustream, name) for name in NAMES["all"] + NEW] + [(gpustream.accelerator, name) for name in NAMES["accelerator"]]


@pytest.mark.parametrize("module, name", CASES, ids=[f"{module.__name__}.{name}" for module, name in CASES])
def test_works_or_says_why(module, name):
    try:
        getattr(module, name)
    except AttributeError as error:
        head, _, reason = str(error).partition(f"module '{module.__name__}' has no attribute '{name}': ")
        assert head == "" and len(reason.split()) >= 4, error
        for other in re.findall(r"gpustream\.(\w+)", reason):
            assert hasattr(gpustream, other), other
    else:
        assert name not in (_absent._IN_ACCELERATOR if module is gpustream.accelerator else _absent._REASONS)


def test_the_list_is_complete():
    assert len(NAMES["all"]) == 123 and len(NAMES["accelerator"]) == 21
    assert set(NAMES["CUDAGraph"]) <= set(dir(gpustream.CUDAGraph))
    unknown = set(_absent._REASONS) - set(NAMES["all"]) - set(NEW)
    assert unknown == {"gds"}  # a module that torch has beside the list
    assert set(_absent._IN_ACCELERATOR) <= set(NAMES["accelerator"])


def test_no_name_has_two_reasons():
    names = [name for names in _absent._WHY.values() for name in names]
    assert len(names) == len(set(names))


def test_a_name_that_torch_lacks_too():
    caught = raises(AttributeError, r"^module 'gpustream' has no attribute 'curent_stream'$", lambda: gpustream.curent_stream)
    assert caught.name == "curent_stream" and caught.obj is gpustream
    assert not hasattr(gpustream, "caching_allocator_enable") and getattr(gpustream, "caching_allocator_enable", 7) == 7


def test_names_that_simply_work():
    from gpustream import graphs, streams

    assert streams.Stream is gpustream.Stream and streams.Event is gpustream.Event and streams.ExternalStream is gpustream.ExternalStream
    assert graphs.CUDAGraph is gpustream.CUDAGraph and graphs.graph is gpustream.graph
    assert gpustream.streams is streams and gpustream.graphs is graphs
    assert gpustream._lazy_init is gpustream.init
    assert isinstance(gpustream.get_device_properties(0), gpustream._CudaDeviceProperties)
    assert gpustream.has_half is True and gpustream.has_magma is False
    assert gpustream.is_tf32_supported() == (gpustream.is_available() and gpustream.get_device_capability()[0] >= 8)
    gpustream.Stream(0)  # the fake driver's memory has no NVML, and is reported inside a context only
    free, total = gpustream.mem_get_info(0)
    assert 0 <= gpustream.device_memory_used(0) <= total and free <= total


def test_the_suggestion(run_python):
    out = run_python("import gpustream\ngpustream.curent_stream", status=1)
    assert re.search(r"Did you mean.*'\.?current_stream'", out), out
