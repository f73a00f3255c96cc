# SPDX-License-Identifier: Apache-2.0
"""Uses device 1 only and shows that device 0 has no context and no less memory than before. Needs two GPUs.

usage: stray_context.py      exit status 0: nothing strayed; 77: there is one GPU
"""

import ctypes as c
import os
import sys

LIBRARY = os.environ.get("GPUSTREAM_LIBRARY", "libgpustream.so.0")
STREAM, EVENT, POINTER = c.c_void_p, c.c_void_p, c.c_void_p


# Adds 1 to a number: small, hand-written, in a PTX version that every driver accepts; the fake driver knows it by name.
PTX = b""".version 7.0
.target sm_52
.address_size 64
.visible .entry add_one(.param .u64 counter_p)
{
    .reg .b32 %r<2>;
    .reg .b64 %d<2>;
    ld.param.u64 %d0, [counter_p];
    cvta.to.global.u64 %d1, %d0;
    ld.global.u32 %r0, [%d1];
    add.u32 %r1, %r0, 1;
    st.global.u32 [%d1], %r1;
    ret;
}
"""
# A function that other threads call. It is not Python, since it may be called while the interpreter ends: free(NULL).
CALLED = c.cast(c.CDLL(None).free, c.c_void_p)


class Triple(c.Structure):
    _fields_ = [("id", c.c_int64), ("device_index", c.c_int32), ("device_type", c.c_int32)]


class Launch(c.Structure):
    _fields_ = [("struct_size", c.c_uint32), ("grid", c.c_uint32 * 3), ("block", c.c_uint32 * 3), ("shared_bytes", c.c_uint32)]


class Info(c.Structure):
    _fields_ = [("struct_size", c.c_uint32), ("rest", c.c_char * 500)]


class Telemetry(c.Structure):
    _fields_ = [("struct_size", c.c_uint32), ("known", c.c_uint32), ("numbers", c.c_int32 * 6), ("used", c.c_uint64), ("free", c.c_uint64),
                ("total", c.c_uint64)]  # fmt: skip


class Watch:
    """The state of device 0 according to the driver and NVML."""

    def __init__(self, library):
        self.driver, self.library = c.CDLL("libcuda.so.1"), library
        self.active_before, self.used_before = self.read()

    def read(self):
        flags, active = c.c_uint(), c.c_int()
        result = self.driver.cuDevicePrimaryCtxGetState(0, c.byref(flags), c.byref(active))
        assert result == 0, f"cuDevicePrimaryCtxGetState gave {result}"
        memory = Telemetry(c.sizeof(Telemetry))
        assert self.library.gs_device_get_telemetry(0, 32, c.byref(memory)) == 0  # GS_TELEMETRY_MEMORY
        return active.value, memory.used

    def check(self, what):
        active, used = self.read()
        # A context takes hundreds of MiB; other processes of the machine may take a little during the test.
        assert active == self.active_before == 0, f"{what} created a context on device 0"
        assert used - self.used_before < 32 << 20, f"{what} took {(used - self.used_before) >> 20} MiB of device 0"


def steps(library):
    """(name, call) for every call that takes device 1; handles are created on the way."""
    stream, other, event, end, number = STREAM(), STREAM(), EVENT(), EVENT(), c.c_int32()
    wide, word, real, memory, pinned = c.c_int64(), c.c_size_t(), c.c_double(), POINTER(), POINTER()
    native, info, scope = c.c_size_t(), Info(struct_size=504), c.c_uint64()
    handle = (c.c_char * 64)()
    telemetry = Telemetry(c.sizeof(Telemetry))
    module, kernel, triple, again, third, adopted = POINTER(), POINTER(), Triple(), STREAM(), STREAM(), EVENT()
    launch = Launch(c.sizeof(Launch), (1, 1, 1), (1, 1, 1), 0)
    arguments = (c.c_void_p * 1)(c.addressof(memory))
    yield "gs_device_get_info", lambda f: f(1, c.byref(info))
    yield "gs_device_can_access_peer", lambda f: f(1, 0, c.byref(number))
    yield "gs_device_get_telemetry", lambda f: f(1, 0, c.byref(telemetry))
    yield "gs_inventory_index", lambda f: f(1, c.byref(number))
    yield "gs_set_current_device", lambda f: f(1)
    yield "gs_current_device", lambda f: f(c.byref(number))
    yield "gs_exchange_device", lambda f: f(1, c.byref(number))
    yield "gs_device_synchronize", lambda f: f(1)
    yield "gs_device_check", lambda f: f(1)
    yield "gs_default_stream", lambda f: f(1, c.byref(other))
    yield "gs_per_thread_stream", lambda f: f(1, c.byref(other))
    yield "gs_current_stream", lambda f: f(1, c.byref(other))
    yield "gs_device_priority_range", lambda f: f(1, c.byref(number), c.byref(number))
    yield "gs_stream_create", lambda f: f(1, 0, c.c_uint32(0), c.byref(stream))
    yield "gs_stream_create", lambda f: f(1, -1, c.c_uint32(1), c.byref(other))
    yield "gs_event_create", lambda f: f(c.c_uint32(1), c.byref(event))
    yield "gs_event_create", lambda f: f(c.c_uint32(1), c.byref(end))
    yield "gs_event_record", lambda f: f(event, stream)
    yield "gs_stream_sleep", lambda f: f(stream, c.c_uint64(1000))
    yield "gs_event_record", lambda f: f(end, stream)
    yield "gs_stream_wait_event", lambda f: f(other, end)
    yield "gs_stream_wait_stream", lambda f: f(other, stream)
    yield "gs_event_query", lambda f: f(end, c.byref(number))
    yield "gs_event_synchronize", lambda f: f(end)
    yield "gs_event_elapsed_ms", lambda f: f(event, end, c.byref(real))
    yield "gs_event_native", lambda f: f(event, c.byref(word))
    yield "gs_stream_query", lambda f: f(stream, c.byref(number))
    yield "gs_stream_is_capturing", lambda f: f(stream, c.byref(number))
    yield "gs_stream_id", lambda f: f(stream, c.byref(wide))
    yield "gs_push_current_stream", lambda f: f(stream, c.byref(scope))
    yield "gs_pop_current_stream", lambda f: f(scope)
    yield "gs_set_current_stream", lambda f: f(stream)
    yield "gs_malloc_async", lambda f: f(c.c_size_t(1 << 20), stream, c.byref(memory))
    yield "gs_memset_async", lambda f: f(memory, 1, c.c_size_t(1 << 20), stream)
    yield "gs_malloc_host", lambda f: f(c.c_size_t(1 << 20), c.byref(pinned))
    yield "gs_memcpy_async", lambda f: f(pinned, memory, c.c_size_t(1 << 20), stream)
    yield "gs_module_load", lambda f: f(1, PTX, c.c_size_t(len(PTX) + 1), c.byref(module))
    yield "gs_module_get_kernel", lambda f: f(module, b"add_one", c.byref(kernel))
    yield "gs_kernel_launch", lambda f: f(kernel, c.byref(launch), arguments, stream)
    yield "gs_stream_launch_host", lambda f: f(stream, CALLED, None)
    yield "gs_stream_notify", lambda f: f(stream, CALLED, None)
    yield "gs_module_destroy", lambda f: f(module)
    yield "gs_free_async", lambda f: f(memory, stream)
    yield "gs_stream_synchronize", lambda f: f(stream)
    yield "gs_free_host", lambda f: f(pinned)
    yield "gs_stream_native", lambda f: f(stream, c.byref(native))
    yield "gs_stream_from_native", lambda f: f(1, native, c.byref(other))
    yield "gs_stream_synchronize", lambda f: f(other)
    yield "gs_stream_device", lambda f: f(stream, c.byref(number))
    yield "gs_stream_get_info", lambda f: f(stream, c.byref(info))
    yield "gs_stream_equal", lambda f: f(stream, other, c.byref(number))
    yield "gs_stream_pack", lambda f: f(stream, c.byref(triple))
    yield "gs_stream_unpack", lambda f: f(c.byref(triple), c.byref(again))
    yield "gs_stream_retain", lambda f: f(again)
    yield "gs_stream_destroy", lambda f: f(again)
    yield "gs_exchange_current_stream", lambda f: f(again, c.byref(third))
    yield "gs_stream_destroy", lambda f: f(third)
    yield "gs_stream_record_event", lambda f: f(stream, event)
    yield "gs_event_wait", lambda f: f(event, stream)
    yield "gs_event_id", lambda f: f(event, c.byref(wide))
    yield "gs_event_device", lambda f: f(event, c.byref(number))
    yield "gs_event_get_info", lambda f: f(event, c.byref(info))
    yield "gs_event_from_native", lambda f: f(1, word, c.byref(adopted))
    yield "gs_event_destroy", lambda f: f(adopted)
    yield "gs_event_create", lambda f: f(c.c_uint32(4), c.byref(end))
    yield "gs_event_record", lambda f: f(end, stream)
    yield "gs_event_ipc_export", lambda f: f(end, handle)
    yield "gs_event_destroy", lambda f: f(end)
    yield "gs_event_destroy", lambda f: f(event)
    yield "gs_stream_destroy", lambda f: f(other)
    yield "gs_stream_destroy", lambda f: f(stream)
    yield "gs_trim", lambda f: f()


def main():
    library = c.CDLL(LIBRARY)
    count = c.c_int32()
    assert library.gs_device_count(0, c.byref(count)) == 0
    if count.value < 2:
        print("one GPU: nothing to show, SKIPPED")
        return 77
    assert library.gs_init() == 0
    watch = Watch(library)
    done = 0
    for name, call in steps(library):
        status = call(getattr(library, name))
        assert status == 0, f"{name} gave {status}"
        watch.check(name)
        done += 1
    print(f"{done} calls for device 1, none touched device 0: passed, 0 failed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
