# SPDX-License-Identifier: Apache-2.0
"""Each name of torch.cuda and torch.accelerator works or says why a library without tensors lacks it. The list is torch 2.11's own, with the names that are new in 2.15."""
import json
import re
from pathlib import Path

import gpustream
import pytest
from gpustream import _absent

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
    with pytest.raises(AttributeError, match=r"^module 'gpustream' has no attribute 'curent_stream'$") as caught:
        gpustream.curent_stream
    assert caught.value.name == "curent_stream" and caught.value.obj is gpustream
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
    assert "Did you mean: 'current_stream'?" in out, out
