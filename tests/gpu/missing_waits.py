#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Small programs with a wait, or without it, for `gpustream shake`: missing_waits.py PATTERN right|wrong.

Undisturbed all of them pass, since the device has done the work long before the host has submitted the next. They end with code 1 if
what they have computed is wrong.
"""
import sys
import time

ROUNDS, SIZE = 12, 1 << 16


def side_producer(wait):
    import torch

    main, side = torch.cuda.current_stream(), torch.cuda.Stream()
    x, out = torch.zeros(SIZE, device="cuda"), torch.zeros(SIZE, device="cuda")
    for i in range(1, ROUNDS):
        side.wait_stream(main)
        with torch.cuda.stream(side):
            x.fill_(i)
        if wait:
            main.wait_stream(side)
        time.sleep(0.001)
        out.copy_(x)
        if out[-1].item() != i:
            return False
    return True


def side_consumer(wait):
    import torch

    main, side = torch.cuda.current_stream(), torch.cuda.Stream()
    x, out = torch.zeros(SIZE, device="cuda"), torch.zeros(ROUNDS, SIZE, device="cuda")
    for i in range(1, ROUNDS):
        x.fill_(i)
        side.wait_stream(main)
        with torch.cuda.stream(side):
            out[i].copy_(x)
        if wait:
            main.wait_stream(side)
        time.sleep(0.001)
    torch.cuda.synchronize()
    return all(out[i, -1].item() == i for i in range(1, ROUNDS))


def freed_early(wait):
    import torch

    main, side = torch.cuda.current_stream(), torch.cuda.Stream()
    out = torch.zeros(ROUNDS, SIZE, device="cuda")
    for i in range(1, ROUNDS):
        x = torch.full((SIZE,), float(i), device="cuda")
        side.wait_stream(main)
        with torch.cuda.stream(side):
            out[i].copy_(x)
        if wait:
            x.record_stream(side)
        del x
        time.sleep(0.001)
        torch.full((SIZE,), -1.0, device="cuda")  # may have the same memory
    torch.cuda.synchronize()
    return all(out[i, -1].item() == i for i in range(1, ROUNDS))


def pinned_reused(wait):
    import torch

    host = torch.zeros(SIZE).pin_memory()
    out = torch.zeros(ROUNDS, SIZE, device="cuda")
    torch.cuda.synchronize()
    for i in range(1, ROUNDS):
        host.fill_(i)
        out[i].copy_(host, non_blocking=True)
        if wait:
            torch.cuda.current_stream().synchronize()
        time.sleep(0.001)
    torch.cuda.synchronize()
    return all(out[i, -1].item() == i for i in range(1, ROUNDS))


def double_buffer(wait):
    import torch

    compute, copy = torch.cuda.current_stream(), torch.cuda.Stream()
    host = [torch.full((SIZE,), float(i)).pin_memory() for i in range(ROUNDS)]
    buffers, free = [torch.zeros(SIZE, device="cuda") for _ in range(2)], [None, None]
    sums = torch.zeros(ROUNDS, device="cuda")
    torch.cuda.synchronize()
    for i in range(ROUNDS):
        with torch.cuda.stream(copy):
            if wait and free[i % 2]:
                copy.wait_event(free[i % 2])
            buffers[i % 2].copy_(host[i], non_blocking=True)
        compute.wait_stream(copy)
        sums[i].copy_(buffers[i % 2].max())
        free[i % 2] = compute.record_event()
        time.sleep(0.001)
    torch.cuda.synchronize()
    return sums.tolist() == list(range(ROUNDS))


def graph_input(wait):
    import torch

    x, out = torch.zeros(SIZE, device="cuda"), torch.zeros(SIZE, device="cuda")
    graph, side = torch.cuda.CUDAGraph(), torch.cuda.Stream()
    torch.cuda.synchronize()
    with torch.cuda.graph(graph):
        out.copy_(x)
    for i in range(1, ROUNDS):
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            x.fill_(i)
        if wait:
            torch.cuda.current_stream().wait_stream(side)
        time.sleep(0.001)
        graph.replay()
        if out[-1].item() != i:
            return False
    return True


def comms_stream(wait):
    """A stand-in for a reduction: the gradient is changed in another stream, and the step must come behind it."""
    import torch

    main, comms = torch.cuda.current_stream(), torch.cuda.Stream()
    weight, grad = torch.zeros(SIZE, device="cuda"), torch.zeros(SIZE, device="cuda")
    for _ in range(ROUNDS):
        grad.fill_(1)
        comms.wait_stream(main)
        with torch.cuda.stream(comms):
            grad.mul_(2)
            done = comms.record_event()
        time.sleep(0.001)
        if wait:
            main.wait_event(done)
        weight.add_(grad)
        torch.cuda.synchronize()
    return weight[-1].item() == 2 * ROUNDS


def default_stream(wait):
    """A stream that does not wait for the default one, which the data is made in."""
    import cupy

    side = cupy.cuda.Stream(non_blocking=True)
    x, out = cupy.zeros(SIZE), cupy.zeros(SIZE)
    cupy.cuda.Device().synchronize()
    for i in range(1, ROUNDS):
        x.fill(i)
        event = cupy.cuda.Event(disable_timing=True)
        event.record()
        if wait:
            side.wait_event(event)
        time.sleep(0.001)
        with side:
            out[...] = x
        side.synchronize()
        if float(out[-1]) != i:
            return False
        cupy.cuda.Device().synchronize()
    return True


def event_too_early(wait):
    """The event is recorded, but ahead of the work that it should stand for."""
    import cupy

    one, two = cupy.cuda.Stream(non_blocking=True), cupy.cuda.Stream(non_blocking=True)
    x, out = cupy.zeros(SIZE), cupy.zeros(SIZE)
    cupy.cuda.Device().synchronize()
    for i in range(1, ROUNDS):
        event = cupy.cuda.Event(disable_timing=True)
        if not wait:
            event.record(one)
        with one:
            x.fill(i)
        if wait:
            event.record(one)
        two.wait_event(event)
        time.sleep(0.001)
        with two:
            out[...] = x
        two.synchronize()
        if float(out[-1]) != i:
            return False
        cupy.cuda.Device().synchronize()
    return True


def triton_kernel(wait):
    import torch
    import triton
    import triton.language as tl

    @triton.jit
    def fill(out, value, size: tl.constexpr):
        at = tl.program_id(0) * 1024 + tl.arange(0, 1024)
        tl.store(out + at, value, mask=at < size)

    main, side = torch.cuda.current_stream(), torch.cuda.Stream()
    x, out = torch.zeros(SIZE, device="cuda"), torch.zeros(SIZE, device="cuda")
    fill[(SIZE // 1024,)](x, 0.5, SIZE)
    torch.cuda.synchronize()
    for i in range(1, ROUNDS):
        side.wait_stream(main)
        with torch.cuda.stream(side):
            fill[(SIZE // 1024,)](x, float(i) + 0.5, SIZE)
        if wait:
            main.wait_stream(side)
        time.sleep(0.001)
        out.copy_(x)
        if out[-1].item() != i + 0.5:
            return False
    return True


if __name__ == "__main__":
    pattern, how = sys.argv[1:]
    sys.exit(0 if globals()[pattern](how == "right") else 1)
