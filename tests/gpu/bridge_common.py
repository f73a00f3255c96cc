# SPDX-License-Identifier: Apache-2.0
"""What the checks of bridge.py share."""

import ctypes as c

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


def stalled(gs, stream):
    """Holds the stream for about 0.15 s, so that work which does not go by it overtakes."""
    gs.call("stream_sleep", stream, gs.LONG)
