// SPDX-License-Identifier: Apache-2.0
package io.gpustream.internal.ffm;

import io.gpustream.internal.EventCalls;
import java.lang.invoke.MethodHandle;

/** Events. One static handle per function, which the compiler of the virtual machine sees through. */
final class FfmEvents implements EventCalls {
    private static final MethodHandle EVENT_CREATE = Symbols.plain("gs_event_create", int.class, int.class, long.class);
    private static final MethodHandle EVENT_RETAIN = Symbols.plain("gs_event_retain", int.class, long.class);
    private static final MethodHandle EVENT_DESTROY = Symbols.plain("gs_event_destroy", int.class, long.class);
    private static final MethodHandle EVENT_FROM_NATIVE =
            Symbols.plain("gs_event_from_native", int.class, int.class, long.class, long.class);
    private static final MethodHandle EVENT_RECORD =
            Symbols.plain("gs_event_record", int.class, long.class, long.class);
    private static final MethodHandle EVENT_WAIT = Symbols.plain("gs_event_wait", int.class, long.class, long.class);
    private static final MethodHandle EVENT_QUERY = Symbols.plain("gs_event_query", int.class, long.class, long.class);
    private static final MethodHandle EVENT_SYNCHRONIZE = Symbols.plain("gs_event_synchronize", int.class, long.class);
    private static final MethodHandle EVENT_ELAPSED_MS =
            Symbols.plain("gs_event_elapsed_ms", int.class, long.class, long.class, long.class);
    private static final MethodHandle EVENT_NATIVE =
            Symbols.critical("gs_event_native", int.class, long.class, long.class);
    private static final MethodHandle EVENT_ID = Symbols.critical("gs_event_id", int.class, long.class, long.class);
    private static final MethodHandle EVENT_DEVICE =
            Symbols.critical("gs_event_device", int.class, long.class, long.class);
    private static final MethodHandle EVENT_FLAGS =
            Symbols.critical("gs_event_flags", int.class, long.class, long.class);
    private static final MethodHandle EVENT_IPC_EXPORT =
            Symbols.plain("gs_event_ipc_export", int.class, long.class, long.class);
    private static final MethodHandle EVENT_IPC_OPEN =
            Symbols.plain("gs_event_ipc_open", int.class, int.class, long.class, long.class);

    @Override
    public int eventCreate(int flags, long outEvent) {
        try {
            return (int) EVENT_CREATE.invokeExact(flags, outEvent);
        } catch (Throwable error) {
            throw Symbols.broken(error);
        }
    }

    @Override
    public int eventRetain(long event) {
        try {
            return (int) EVENT_RETAIN.invokeExact(event);
        } catch (Throwable error) {
            throw Symbols.broken(error);
        }
    }

    @Override
    public int eventDestroy(long event) {
        try {
            return (int) EVENT_DESTROY.invokeExact(event);
        } catch (Throwable error) {
            throw Symbols.broken(error);
        }
    }

    @Override
    public int eventFromNative(int device, long nativeHandle, long outEvent) {
        try {
            return (int) EVENT_FROM_NATIVE.invokeExact(device, nativeHandle, outEvent);
        } catch (Throwable error) {
            throw Symbols.broken(error);
        }
    }

    @Override
    public int eventRecord(long event, long stream) {
        try {
            return (int) EVENT_RECORD.invokeExact(event, stream);
        } catch (Throwable error) {
            throw Symbols.broken(error);
        }
    }

    @Override
    public int eventWait(long event, long stream) {
        try {
            return (int) EVENT_WAIT.invokeExact(event, stream);
        } catch (Throwable error) {
            throw Symbols.broken(error);
        }
    }

    @Override
    public int eventQuery(long event, long outDone) {
        try {
            return (int) EVENT_QUERY.invokeExact(event, outDone);
        } catch (Throwable error) {
            throw Symbols.broken(error);
        }
    }

    @Override
    public int eventSynchronize(long event) {
        try {
            return (int) EVENT_SYNCHRONIZE.invokeExact(event);
        } catch (Throwable error) {
            throw Symbols.broken(error);
        }
    }

    @Override
    public int eventElapsedMs(long start, long end, long outMs) {
        try {
            return (int) EVENT_ELAPSED_MS.invokeExact(start, end, outMs);
        } catch (Throwable error) {
            throw Symbols.broken(error);
        }
    }

    @Override
    public int eventNative(long event, long outNative) {
        try {
            return (int) EVENT_NATIVE.invokeExact(event, outNative);
        } catch (Throwable error) {
            throw Symbols.broken(error);
        }
    }

    @Override
    public int eventId(long event, long outId) {
        try {
            return (int) EVENT_ID.invokeExact(event, outId);
        } catch (Throwable error) {
            throw Symbols.broken(error);
        }
    }

    @Override
    public int eventDevice(long event, long outDevice) {
        try {
            return (int) EVENT_DEVICE.invokeExact(event, outDevice);
        } catch (Throwable error) {
            throw Symbols.broken(error);
        }
    }

    @Override
    public int eventFlags(long event, long outFlags) {
        try {
            return (int) EVENT_FLAGS.invokeExact(event, outFlags);
        } catch (Throwable error) {
            throw Symbols.broken(error);
        }
    }

    @Override
    public int eventIpcExport(long event, long outHandle) {
        try {
            return (int) EVENT_IPC_EXPORT.invokeExact(event, outHandle);
        } catch (Throwable error) {
            throw Symbols.broken(error);
        }
    }

    @Override
    public int eventIpcOpen(int device, long handle, long outEvent) {
        try {
            return (int) EVENT_IPC_OPEN.invokeExact(device, handle, outEvent);
        } catch (Throwable error) {
            throw Symbols.broken(error);
        }
    }
}
