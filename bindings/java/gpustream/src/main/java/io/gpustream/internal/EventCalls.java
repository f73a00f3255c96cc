// SPDX-License-Identifier: Apache-2.0
package io.gpustream.internal;

/**
 * Events.
 *
 * <p>One method per function of gpustream.h, named after it, with its parameters in its order: handles, addresses and
 * pointers to functions are longs, unsigned numbers keep their bits. What they do is said in the header.
 */
public interface EventCalls {
    int eventCreate(int flags, long outEvent);

    int eventRetain(long event);

    int eventDestroy(long event);

    int eventFromNative(int device, long nativeHandle, long outEvent);

    int eventRecord(long event, long stream);

    int eventWait(long event, long stream);

    int eventQuery(long event, long outDone);

    int eventSynchronize(long event);

    int eventElapsedMs(long start, long end, long outMs);

    int eventNative(long event, long outNative);

    int eventId(long event, long outId);

    int eventDevice(long event, long outDevice);

    int eventFlags(long event, long outFlags);

    int eventIpcExport(long event, long outHandle);

    int eventIpcOpen(int device, long handle, long outEvent);
}
