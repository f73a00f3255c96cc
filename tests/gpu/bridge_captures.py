# SPDX-License-Identifier: Apache-2.0
"""Checks of bridge.py: scopes and captures of PyTorch, and prices."""

import ctypes as c
import statistics
import time

from bridge_common import check, find, ours, pop, push, torch_module


@check
def a_scope_restores_the_drivers_stream():
    torch, gs = torch_module(), ours()
    gs.call("bridge_lead", find(gs, "torch"), 1)
    theirs, mine = torch.cuda.Stream(), gs.stream(0)
    with torch.cuda.stream(theirs):
        pop(gs, push(gs, mine))
        again = torch.cuda.current_stream()
        assert again.cuda_stream == theirs.cuda_stream
        print(f"  torch's own == of the stream before and after: {again == theirs}")


@check
def forks_inside_a_torch_capture():
    """A library is called while torch captures: it wraps the stream that it is given, forks and joins by gpustream."""
    torch, gs = torch_module(), ours()
    gs.call("init")
    side, fork, join = gs.stream(0), gs.event(), gs.event()
    beside = torch.cuda.ExternalStream(gs.native(side))
    given = torch.ones(256, 256, device="cuda")
    x, y, z = torch.empty_like(given), torch.empty_like(given), torch.empty_like(given)

    def library():
        mine = gs.wrap(torch.cuda.current_stream().cuda_stream, 0)
        assert gs.wrap(torch.cuda.current_stream().cuda_stream, 0) == mine
        gs.call("stream_destroy", mine)
        gs.call("set_current_stream", mine)
        gs.call("event_record", fork, mine)
        gs.call("stream_wait_event", side, fork)
        with torch.cuda.stream(beside):
            torch.mul(x, 2, out=y)
        torch.add(x, 1, out=z)  # in torch's stream, at the same time
        gs.call("event_record", join, side)
        gs.call("stream_wait_event", mine, join)
        z.add_(y)
        gs.call("set_current_stream", gs.out("default_stream", gs.HANDLE, 0))
        gs.call("stream_destroy", mine)

    model = torch.nn.Linear(256, 256, device="cuda")
    with torch.no_grad():
        torch.nn.init.eye_(model.weight)
        torch.nn.init.zeros_(model.bias)
        model(given)  # workspaces are made before the capture
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            x.copy_(model(given))
            library()
            result = model(z)
        for turn in range(1000):
            value = float(turn % 7)
            given.fill_(value)
            graph.replay()
            wrong = (result != 3 * value + 1).sum()
            assert int(wrong) == 0, f"replay {turn}: {int(wrong)} wrong elements"
    late = torch.cuda.Stream()
    gs.call("stream_synchronize", gs.wrap(late.cuda_stream, 0))


@check
def prices():
    """Nanoseconds per call from C's view: ctypes would hide them, so bench/core has the real ones; these are ratios."""
    torch, gs = torch_module(), ours()
    stream = gs.stream(0)
    raw = gs.native(stream)

    def nanoseconds(body, turns=20000):
        samples = []
        for _ in range(5):
            start = time.perf_counter_ns()
            for _ in range(turns):
                body()
            samples.append((time.perf_counter_ns() - start) / turns)
        return statistics.median(samples)

    scope, handle = c.c_uint64(), gs.HANDLE()

    def push_pop():
        gs.lib.gs_push_current_stream(stream, c.byref(scope))
        gs.lib.gs_pop_current_stream(scope)

    def known():
        gs.lib.gs_stream_from_native(0, raw, c.byref(handle))
        gs.lib.gs_stream_destroy(handle)

    def current():
        gs.lib.gs_current_stream(0, c.byref(handle))

    def theirs():
        with torch.cuda.stream(external):
            pass

    external = torch.cuda.ExternalStream(raw)
    bridge = find(gs, "torch")
    print(f"  wrap and release a known handle   {nanoseconds(known):8.0f}")
    print(f"  push and pop, no bridge           {nanoseconds(push_pop):8.0f}")
    print(f"  current stream, no bridge         {nanoseconds(current):8.0f}")
    gs.call("bridge_lead", bridge, 1)
    print(f"  push and pop, leading torch       {nanoseconds(push_pop):8.0f}")
    gs.call("bridge_lead", bridge, 0)
    gs.call("bridge_follow", bridge)
    print(f"  current stream, following torch   {nanoseconds(current):8.0f}")
    gs.call("bridge_follow", 0)
    print(f"  with torch.cuda.stream(...)       {nanoseconds(theirs, 2000):8.0f}")
