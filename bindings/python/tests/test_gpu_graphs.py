# SPDX-License-Identifier: Apache-2.0
"""Graphs to and from PyTorch on a real GPU.

    GPUSTREAM_BACKEND=cuda python -m pytest -rs tests/test_gpu_graphs.py
"""
import ctypes

import gpustream
import pytest
from support.real_gpu import MARKS, package

pytestmark = MARKS


@pytest.fixture
def torch():
    return package("torch")


def model_of(torch):
    """A model, its input, and the input's place."""
    torch.manual_seed(1)
    model = torch.nn.Sequential(torch.nn.Linear(64, 256), torch.nn.GELU(), torch.nn.LayerNorm(256), torch.nn.Linear(256, 16)).cuda().eval()
    return model, torch.zeros(32, 64, device="cuda")


def captured_by_torch(torch, model, place):
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.no_grad(), torch.cuda.stream(side):
        for _ in range(3):
            model(place)
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph(keep_graph=True)
    with torch.no_grad(), torch.cuda.graph(graph):
        output = model(place)
    graph.instantiate()
    return graph, output


def test_torchs_graph_launched_through_gpustream(torch):
    """Its raw cudaGraph_t, made executable and launched here, computes what torch computes."""
    model, place = model_of(torch)
    graph, output = captured_by_torch(torch, model, place)
    wrapped = gpustream.Graph.from_native(graph.raw_cuda_graph(), owner=graph)
    kinds = {node.kind for node in wrapped.nodes}
    assert "kernel" in kinds and "digraph" in wrapped.dot()
    assert all(node.info["name"] for node in wrapped.nodes if node.kind == "kernel")
    executable, stream = wrapped.instantiate(), gpustream.Stream()
    for seed in range(5):
        torch.manual_seed(seed)
        data = torch.randn(32, 64, device="cuda")
        with torch.no_grad():
            expected = model(data)
        place.copy_(data)
        stream.wait_stream(torch.cuda.current_stream())
        executable.launch(stream)
        stream.synchronize()
        assert torch.allclose(output, expected, atol=1e-5), seed


def test_torchs_executable_in_a_stream_of_gpustream(torch):
    """Its raw cudaGraphExec_t, launched by the runtime in a stream of gpustream's."""
    model, place = model_of(torch)
    graph, output = captured_by_torch(torch, model, place)
    stream = gpustream.Stream()
    with torch.no_grad():
        data = torch.randn(32, 64, device="cuda")
        expected = model(data)
    place.copy_(data)
    torch.cuda.synchronize()
    driver = ctypes.CDLL("libcuda.so.1")
    assert driver.cuGraphLaunch(ctypes.c_void_p(graph.raw_cuda_graph_exec()), ctypes.c_void_p(stream.cuda_stream)) == 0
    stream.synchronize()
    assert torch.allclose(output, expected, atol=1e-5)


def test_our_capture_of_torchs_work(torch):
    """torch's kernels, captured into a CUDAGraph of gpustream's, and replayed by us and by torch's driver."""
    model, place = model_of(torch)
    output = torch.zeros(32, 64, device="cuda")
    torch.mul(place, 2, out=output)  # loads the kernel
    torch.cuda.synchronize()
    graph, stream = gpustream.CUDAGraph(keep_graph=True), gpustream.Stream()
    with gpustream.graph(graph, stream=stream, capture_error_mode="thread_local"), \
            torch.cuda.stream(torch.cuda.ExternalStream(stream.cuda_stream)):
        torch.mul(place, 2, out=output)
        output.add_(1)
    graph.instantiate()
    place.fill_(3)
    torch.cuda.synchronize()
    graph.replay()
    gpustream.synchronize()
    assert output.eq(7).all()
    place.fill_(4)
    current = torch.cuda.current_stream()
    driver = ctypes.CDLL("libcuda.so.1")
    assert driver.cuGraphLaunch(ctypes.c_void_p(graph.raw_cuda_graph_exec()), ctypes.c_void_p(current.cuda_stream)) == 0
    torch.cuda.synchronize()
    assert output.eq(9).all()


def test_update_and_conditions(torch):
    values = torch.zeros(4, dtype=torch.int32, device="cuda")
    other = torch.zeros(4, dtype=torch.int32, device="cuda")
    word = torch.ones(1, dtype=torch.int32, device="cuda")
    first, second = gpustream.Graph(), gpustream.Graph()
    first.add_memset(values, 1)
    second.add_memset(other, 2)
    executable = first.instantiate()
    assert executable.update(second)
    executable.launch()
    graph = gpustream.Graph()
    graph.add_if(word).body.graph.add_memset(values, 3)
    graph.replay()
    gpustream.synchronize()
    assert other.eq(0x02020202).all() and values.eq(0x03030303).all()
