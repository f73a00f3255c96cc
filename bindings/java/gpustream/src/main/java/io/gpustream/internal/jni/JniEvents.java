// SPDX-License-Identifier: Apache-2.0
package io.gpustream.internal.jni;

import io.gpustream.internal.EventCalls;

/** Events. Calls the methods that SWIG generated. */
final class JniEvents implements EventCalls {
    @Override
    public int eventCreate(int flags, long outEvent) {
        return GpustreamJni.gs_event_create(flags, outEvent);
    }

    @Override
    public int eventRetain(long event) {
        return GpustreamJni.gs_event_retain(event);
    }

    @Override
    public int eventDestroy(long event) {
        return GpustreamJni.gs_event_destroy(event);
    }

    @Override
    public int eventFromNative(int device, long nativeHandle, long outEvent) {
        return GpustreamJni.gs_event_from_native(device, nativeHandle, outEvent);
    }

    @Override
    public int eventRecord(long event, long stream) {
        return GpustreamJni.gs_event_record(event, stream);
    }

    @Override
    public int eventWait(long event, long stream) {
        return GpustreamJni.gs_event_wait(event, stream);
    }

    @Override
    public int eventQuery(long event, long outDone) {
        return GpustreamJni.gs_event_query(event, outDone);
    }

    @Override
    public int eventSynchronize(long event) {
        return GpustreamJni.gs_event_synchronize(event);
    }

    @Override
    public int eventElapsedMs(long start, long end, long outMs) {
        return GpustreamJni.gs_event_elapsed_ms(start, end, outMs);
    }

    @Override
    public int eventNative(long event, long outNative) {
        return GpustreamJni.gs_event_native(event, outNative);
    }

    @Override
    public int eventId(long event, long outId) {
        return GpustreamJni.gs_event_id(event, outId);
    }

    @Override
    public int eventDevice(long event, long outDevice) {
        return GpustreamJni.gs_event_device(event, outDevice);
    }

    @Override
    public int eventFlags(long event, long outFlags) {
        return GpustreamJni.gs_event_flags(event, outFlags);
    }

    @Override
    public int eventIpcExport(long event, long outHandle) {
        return GpustreamJni.gs_event_ipc_export(event, outHandle);
    }

    @Override
    public int eventIpcOpen(int device, long handle, long outEvent) {
        return GpustreamJni.gs_event_ipc_open(device, handle, outEvent);
    }
}
