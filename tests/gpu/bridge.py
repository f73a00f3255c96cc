# SPDX-License-Identifier: Apache-2.0
"""Bridges on a real GPU: PyTorch, CuPy and TVM FFI see the stream that gpustream makes current, and the reverse.

The library is the one in GPUSTREAM_LIBRARY, called through ctypes. Each check runs in a process of its own. Order is proved
with a stalled stream: a consumer that does not wait for it reads old data.

usage: bridge.py [CHECK...]      exit status 0: no check failed; torch is needed, cupy and tvm_ffi are used if present
"""

import ctypes as c
import statistics
import subprocess
import sys
import threading
import time
import traceback

CHECKS = []
SIZE = 1 << 20


class Skip(Exception):
    pass


def check(function):
    CHECKS.append(function)
    return function


def declare(gs):
    """The functions that gs.py does not know."""
    gs.lib.gs_current_stream.argtypes = [c.c_int32, c.POINTER(gs.HANDLE)]
    gs.lib.gs_set_current_stream.argtypes = [gs.HANDLE]
    gs.lib.gs_push_current_stream.argtypes = [gs.HANDLE, c.POINTER(c.c_uint64)]
    gs.lib.gs_pop_current_stream.argtypes = [c.c_uint64]
    gs.lib.gs_default_stream.argtypes = [c.c_int32, c.POINTER(gs.HANDLE)]
    gs.lib.gs_current_native.argtypes = [c.c_int32, c.POINTER(c.c_size_t)]
    gs.lib.gs_bridge_find.argtypes = [c.c_char_p, c.POINTER(c.c_int32)]
    gs.lib.gs_bridge_lead.argtypes = [c.c_int32, c.c_int32]
    gs.lib.gs_bridge_follow.argtypes = [c.c_int32]
    gs.lib.gs_bridge_unregister.argtypes = [c.c_int32]
    gs.lib.gs_dlpack_current_work_stream.argtypes = [c.c_int32, c.c_int32, c.POINTER(c.c_void_p)]
    return gs


def ours():
    import gs

    return declare(gs)


def torch_module():
    import torch

    if not torch.cuda.is_available():
        raise Skip("torch has no GPU")
    torch.zeros(1, device="cuda")
    return torch


def find(gs, name):
    return gs.out("bridge_find", c.c_int32, name.encode())


def push(gs, stream):
    return gs.out("push_current_stream", c.c_uint64, stream)


def pop(gs, scope):
    gs.call("pop_current_stream", scope)


def work_stream(gs, device=0):
    stream = c.c_void_p(1)
    if gs.lib.gs_dlpack_current_work_stream(2, device, c.byref(stream)) != 0:
        raise gs.Failure("gs_dlpack_current_work_stream failed")
    return stream.value or 0


@check
def torch_after_us():
    gs = ours()
    gs.call("init")
    stream = gs.stream(0)
    assert gs.lib.gs_bridge_find(b"torch", c.byref(c.c_int32())) == 30, "torch is found before it is loaded"
    torch = torch_module()
    gs.call("bridge_lead", find(gs, "torch"), 1)
    gs.call("set_current_stream", stream)
    assert torch.cuda.current_stream().cuda_stream == gs.native(stream)


@check
def torch_before_us():
    torch = torch_module()
    gs = ours()
    gs.call("bridge_lead", find(gs, "torch"), 1)
    default, stream = torch.cuda.current_stream(), gs.stream(0)
    scope = push(gs, stream)
    assert torch.cuda.current_stream().cuda_stream == gs.native(stream) == work_stream(gs)
    pop(gs, scope)
    assert torch.cuda.current_stream().cuda_stream == default.cuda_stream


def stalled(gs, stream):
    """Holds the stream for about 0.15 s, so that work which does not go by it overtakes."""
    gs.call("stream_sleep", stream, gs.LONG)


@check
def torch_kernels_run_on_ours():
    torch, gs = torch_module(), ours()
    gs.call("bridge_lead", find(gs, "torch"), 1)
    stream, done = gs.stream(0), gs.event()
    data = torch.zeros(SIZE, device="cuda")
    torch.cuda.synchronize()
    stalled(gs, stream)
    scope = push(gs, stream)
    data.add_(1).mul_(3)
    pop(gs, scope)
    gs.call("event_record", done, stream)
    assert gs.out("event_query", c.c_int32, done) == 0, "the stream did not stall"
    early = data.cpu()  # in the default stream, which does not wait for ours
    gs.call("event_synchronize", done)
    assert (early == 0).all(), "the kernels did not run in the stalled stream"
    assert (data.cpu() == 3).all()


@check
def we_follow_torch():
    torch, gs = torch_module(), ours()
    gs.call("bridge_follow", find(gs, "torch"))
    theirs, done = torch.cuda.Stream(), gs.event()
    with torch.cuda.stream(theirs):
        current = gs.out("current_stream", gs.HANDLE, 0)
        assert gs.native(current) == theirs.cuda_stream == gs.out("current_native", c.c_size_t, 0) == work_stream(gs)
        stalled(gs, current)
        gs.call("event_record", done, current)
    assert not theirs.query(), "our kernel did not run in torch's stream"
    gs.call("event_synchronize", done)
    mine = gs.stream(0)
    gs.call("set_current_stream", mine)
    assert torch.cuda.current_stream().cuda_stream == gs.native(mine), "setting ours sets theirs"


@check
def every_thread_and_exceptions():
    torch, gs = torch_module(), ours()
    gs.call("bridge_lead", find(gs, "torch"), 1)
    failures = []

    def run(index):
        try:
            outer, inner = gs.stream(0), gs.stream(0)
            for _ in range(200):
                first = push(gs, outer)
                try:
                    second = push(gs, inner)
                    try:
                        assert torch.cuda.current_stream().cuda_stream == gs.native(inner)
                        torch.ones(64, device="cuda").sum()
                        raise KeyError(index)
                    finally:
                        pop(gs, second)
                except KeyError:
                    assert torch.cuda.current_stream().cuda_stream == gs.native(outer)
                finally:
                    pop(gs, first)
            assert torch.cuda.current_stream().cuda_stream == 0
        except BaseException:  # reported by the main thread
            failures.append(traceback.format_exc())

    threads = [threading.Thread(target=run, args=(index,)) for index in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures, failures[0]


@check
def two_devices():
    torch, gs = torch_module(), ours()
    if torch.cuda.device_count() < 2:
        raise Skip("one GPU")
    torch.zeros(1, device="cuda:1")
    gs.call("bridge_lead", find(gs, "torch"), 1)
    here, there = gs.stream(0), gs.stream(1)
    first = push(gs, here)
    second = push(gs, there)
    assert torch.cuda.current_device() == 1
    assert torch.cuda.current_stream(1).cuda_stream == gs.native(there)
    assert torch.cuda.current_stream(0).cuda_stream == gs.native(here)
    total = torch.ones(SIZE, device="cuda").sum()
    assert total.device.index == 1 and float(total) == SIZE
    pop(gs, second)
    assert torch.cuda.current_device() == 0 and torch.cuda.current_stream(1).cuda_stream == 0
    pop(gs, first)
    assert torch.cuda.current_stream(0).cuda_stream == 0


@check
def cupy_on_the_led_stream():
    torch, gs = torch_module(), ours()
    try:
        import cupy
    except ImportError:
        raise Skip("no cupy") from None
    gs.call("bridge_lead", find(gs, "torch"), 1)
    stream, done = gs.stream(0), gs.event()
    data = torch.zeros(SIZE, device="cuda")
    array = cupy.asarray(data)
    torch.cuda.synchronize()
    scope = push(gs, stream)
    stalled(gs, stream)
    data.add_(2)  # torch, in our stream
    with cupy.cuda.ExternalStream(work_stream(gs)):  # what gpustream tells any library
        array *= 5
    data.add_(1)
    pop(gs, scope)
    gs.call("event_record", done, stream)
    assert gs.out("event_query", c.c_int32, done) == 0
    gs.call("event_synchronize", done)
    assert (data.cpu() == 11).all(), "torch and CuPy did not run in order"


@check
def tvm_ffi():
    gs = ours()
    try:
        import tvm_ffi as module
        from tvm_ffi import libinfo
    except ImportError:
        raise Skip("no tvm_ffi") from None
    library = c.CDLL(libinfo.find_libtvm_ffi())
    library.TVMFFIEnvGetStream.restype = c.c_void_p
    gs.call("init")
    gs.call("bridge_lead", find(gs, "tvm_ffi"), 1)
    stream = gs.stream(0)
    scope = push(gs, stream)
    assert (library.TVMFFIEnvGetStream(2, 0) or 0) == gs.native(stream), module.__version__
    pop(gs, scope)
    assert not library.TVMFFIEnvGetStream(2, 0)


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


def run_one(name):
    chosen = next(one for one in CHECKS if one.__name__ == name)
    try:
        chosen()
    except Skip as reason:
        print(f"  skipped: {reason}")
        return 77
    except BaseException:
        traceback.print_exc()
        return 1
    return 0


def main():
    if sys.argv[1:2] == ["--one"]:
        return run_one(sys.argv[2])
    wanted = sys.argv[1:] or [one.__name__ for one in CHECKS]
    outcomes = {0: "passed", 77: "skipped"}
    failed = skipped = 0
    for name in wanted:
        try:
            code = subprocess.run([sys.executable, __file__, "--one", name], timeout=180).returncode
        except subprocess.TimeoutExpired:
            code = "no end within 180 s"
        print(f"{name:32} {outcomes.get(code, f'FAILED ({code})')}", flush=True)
        failed += code not in outcomes
        skipped += code == 77
    print(f"{len(wanted) - failed - skipped} passed, {skipped} skipped, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
