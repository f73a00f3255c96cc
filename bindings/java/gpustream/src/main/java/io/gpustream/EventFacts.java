// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import io.gpustream.internal.Callbacks;
import io.gpustream.internal.Constants;
import io.gpustream.internal.Layouts;
import io.gpustream.internal.Native;
import io.gpustream.internal.Scratch;
import java.util.Optional;
import java.util.Set;

/** What the library knows of an event, by its number. Callers keep the event's object reachable. */
final class EventFacts {
    private EventFacts() {}

    /** 0 before the first record or export. Counts as giving the driver's event out. */
    static long nativeHandle(long number) {
        Scratch scratch = Scratch.get();
        Failure.check(Native.CALLS.eventNative(number, scratch.address));
        return scratch.getLong();
    }

    /** The same number, without giving it out. */
    static long id(long number) {
        Scratch scratch = Scratch.get();
        Failure.check(Native.CALLS.eventId(number, scratch.address));
        return scratch.getLong();
    }

    /** Wraps the driver's event; its number is in the scratch memory then. */
    static void adopt(int device, long nativeHandle, Runnable release, Scratch scratch) {
        long callback = Callbacks.register(release);
        int status = Native.BRIDGE.eventFromNativeOwned(device, nativeHandle, callback, scratch.address);
        if (status != 0) {
            Callbacks.forget(callback);
            throw Failure.of(status);
        }
    }

    static Optional<Device> device(long number) {
        Scratch scratch = Scratch.get();
        Failure.check(Native.CALLS.eventDevice(number, scratch.address));
        int device = scratch.getInt();
        return device == Constants.DEVICE_NONE ? Optional.empty() : Optional.of(Device.fromNumber(device));
    }

    static Set<EventFlag> flags(long number) {
        Scratch scratch = Scratch.get();
        Failure.check(Native.CALLS.eventGetInfo(number, Layouts.EVENT_INFO.prepare(scratch)));
        return EventFlag.of(Layouts.EVENT_INFO.getInt(scratch, "flags"));
    }

    static IpcHandle exportIpc(long number) {
        Scratch scratch = Scratch.get();
        Failure.check(Native.CALLS.eventIpcExport(number, scratch.address));
        return IpcHandle.of(scratch.getBytes(IpcHandle.BYTES));
    }
}
