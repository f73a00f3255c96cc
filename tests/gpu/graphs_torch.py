# SPDX-License-Identifier: Apache-2.0
"""Graphs between PyTorch and gpustream, by the driver's raw handles, on a real GPU.

torch's own graph of a model with attention, made executable and launched through gpustream; torch's executable launched in a
stream of gpustream's; and the model captured through gpustream, its executable replayed in torch's current stream by the CUDA
runtime that torch uses. Each launch has another input, and its output must be the model's.

usage: graphs_torch.py      exit status 0: no check failed
"""

import ctypes as c
import sys
import time
import traceback

import torch

import gs

HANDLE = gs.HANDLE
RELAXED, THREAD_LOCAL = 2, 1
LAUNCHES = 20


class Summary(c.Structure):
    _fields_ = [("struct_size", c.c_uint32), ("device", c.c_int32), ("is_body", c.c_int32), ("has_conditions", c.c_int32),
                ("node_count", c.c_uint64), ("edge_count", c.c_uint64)]


for _name, _types in {
    "gs_graph_from_native": [c.c_int32, c.c_size_t, c.POINTER(HANDLE)],
    "gs_graph_info": [HANDLE, c.POINTER(Summary)],
    "gs_graph_destroy": [HANDLE],
    "gs_graph_instantiate": [HANDLE, c.c_uint32, c.POINTER(HANDLE)],
    "gs_graph_exec_launch": [HANDLE, HANDLE],
    "gs_graph_exec_native": [HANDLE, c.POINTER(c.c_size_t)],
    "gs_graph_exec_destroy": [HANDLE],
    "gs_stream_begin_capture": [HANDLE, c.c_int32],
    "gs_stream_end_capture": [HANDLE, c.POINTER(HANDLE)],
}.items():
    _function = getattr(gs.lib, _name)
    _function.argtypes, _function.restype = _types, c.c_int32

runtime = c.CDLL(f"libcudart.so.{torch.version.cuda.split('.')[0]}")  # torch has loaded it
runtime.cudaGraphLaunch.argtypes = [c.c_void_p, c.c_void_p]


class Model:
    """An encoder, the place of its input, and fresh inputs with what the model makes of them."""

    def __init__(self):
        torch.manual_seed(1)
        layer = torch.nn.TransformerEncoderLayer(256, 4, 512, dropout=0.0, batch_first=True)
        self.net = torch.nn.TransformerEncoder(layer, 4, enable_nested_tensor=False).cuda().eval()
        self.place = torch.zeros(8, 64, 256, device="cuda")
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.no_grad(), torch.cuda.stream(side):
            for _ in range(3):
                self.net(self.place)
        torch.cuda.synchronize()

    def fresh(self, seed):
        torch.manual_seed(seed)
        data = torch.randn_like(self.place)
        with torch.no_grad():
            expected = self.net(data)
        self.place.copy_(data)
        torch.cuda.synchronize()
        return expected

    def captured_by_torch(self):
        graph = torch.cuda.CUDAGraph(keep_graph=True)
        with torch.no_grad(), torch.cuda.graph(graph):
            output = self.net(self.place)
        graph.instantiate()
        return graph, output


def close(output, expected, seed):
    torch.cuda.synchronize()
    worst = (output - expected).abs().max().item()
    assert worst < 1e-4, f"input {seed}: off by {worst}"
    assert expected.abs().max().item() > 0.1, "a model that answers nothing proves nothing"


def per_launch(launch, finish):
    for _ in range(20):
        launch()
    finish()
    begin = time.perf_counter_ns()
    for _ in range(LAUNCHES):
        launch()
    elapsed = time.perf_counter_ns() - begin
    finish()
    return elapsed / LAUNCHES


def torchs_graph_launched_here(model):
    graph, output = model.captured_by_torch()
    wrapped = gs.out("graph_from_native", HANDLE, 0, graph.raw_cuda_graph())
    summary = Summary(struct_size=c.sizeof(Summary))
    gs.call("graph_info", wrapped, c.byref(summary))
    execution, stream = gs.out("graph_instantiate", HANDLE, wrapped, 0), gs.stream()
    for seed in range(10):
        expected = model.fresh(seed)
        gs.call("graph_exec_launch", execution, stream)
        gs.call("stream_synchronize", stream)
        close(output, expected, seed)
    ours = per_launch(lambda: gs.lib.gs_graph_exec_launch(execution, stream), lambda: gs.call("stream_synchronize", stream))
    theirs = per_launch(graph.replay, torch.cuda.synchronize)
    for name, handle in (("graph_exec_destroy", execution), ("graph_destroy", wrapped), ("stream_destroy", stream)):
        gs.call(name, handle)
    return f"{summary.node_count} nodes; a launch through ctypes {ours:,.0f} ns, torch's replay {theirs:,.0f} ns"


def torchs_executable_in_our_stream(model):
    graph, output = model.captured_by_torch()
    stream = gs.stream()
    for seed in range(10):
        expected = model.fresh(seed)
        assert runtime.cudaGraphLaunch(graph.raw_cuda_graph_exec(), gs.native(stream)) == 0
        gs.call("stream_synchronize", stream)
        close(output, expected, seed)
    gs.call("stream_destroy", stream)


def our_capture_replayed_by_torchs_runtime(model, mode):
    stream = gs.stream()
    pool = torch.cuda.MemPool()  # keeps the capture's memory for this graph, as torch does for its own
    with torch.no_grad(), torch.cuda.use_mem_pool(pool), torch.cuda.stream(torch.cuda.ExternalStream(gs.native(stream))):
        gs.call("stream_begin_capture", stream, mode)
        output = model.net(model.place)
        graph = gs.out("stream_end_capture", HANDLE, stream)
    execution = gs.out("graph_instantiate", HANDLE, graph, 0)
    raw = gs.out("graph_exec_native", c.c_size_t, execution)
    for seed in range(10):
        expected = model.fresh(seed)
        if seed % 2:
            gs.call("graph_exec_launch", execution, stream)
            gs.call("stream_synchronize", stream)
        else:
            assert runtime.cudaGraphLaunch(raw, torch.cuda.current_stream().cuda_stream) == 0
        close(output, expected, seed)
    for name, handle in (("graph_exec_destroy", execution), ("graph_destroy", graph), ("stream_destroy", stream)):
        gs.call(name, handle)


def main():
    failed = 0
    print(f"torch {torch.__version__}, {torch.cuda.get_device_name(0)}")
    checks = [
        ("torchs_graph_launched_here", torchs_graph_launched_here),
        ("torchs_executable_in_our_stream", torchs_executable_in_our_stream),
        ("our_capture_replayed_by_torchs_runtime, thread-local", lambda m: our_capture_replayed_by_torchs_runtime(m, THREAD_LOCAL)),
        ("our_capture_replayed_by_torchs_runtime, relaxed", lambda m: our_capture_replayed_by_torchs_runtime(m, RELAXED)),
    ]
    for name, check in checks:
        try:
            note = check(Model())
            print(f"{name:56} passed{'  ' + note if note else ''}", flush=True)
        except Exception:
            traceback.print_exc()
            print(f"{name:56} FAILED", flush=True)
            failed = 1
    return failed


if __name__ == "__main__":
    sys.exit(main())
