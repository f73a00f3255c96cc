# SPDX-License-Identifier: Apache-2.0
"""Checks of bridge.py: who sees which stream, and that work runs there."""

import ctypes as c
import threading
import traceback

from bridge_common import SIZE, Skip, check, find, ours, pop, push, stalled, torch_module, work_stream


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


@check
def torch_kernels_run_on_ours():
    torch, gs = torch_module(), ours()
    gs.call("bridge_lead", find(gs, "torch"), 1)
    stream, done = gs.stream(0), gs.event()
    data = torch.zeros(SIZE, device="cuda")
    # Kernels are loaded at their first launch, which may wait for all work of the device: before the stall.
    torch.zeros(SIZE, device="cuda").add_(1).mul_(3).cpu()
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
    first = cupy.zeros(SIZE, dtype=array.dtype)
    first *= 5  # compiled and loaded before the stall, as torch's kernels are
    torch.zeros(SIZE, device="cuda").add_(2).cpu()
    cupy.cuda.runtime.deviceSynchronize()
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
