// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import io.gpustream.internal.Native;
import io.gpustream.internal.Scratch;
import java.util.Objects;

/**
 * Where timelines come from and go to, by the library's numbers of them. A number that is returned has a reference, which is the
 * caller's. Callers keep the object of a number that they pass reachable.
 */
final class TimelineNumbers {
    private TimelineNumbers() {}

    static long create(int device, long initial, int flags) {
        Scratch scratch = Scratch.get();
        Failure.check(Native.CALLS.timelineCreate(device, initial, flags, scratch.address));
        return scratch.getLong();
    }

    static long openIpc(IpcHandle ipc, int device) {
        Scratch scratch = Scratch.get().put(Objects.requireNonNull(ipc, "ipc").toByteArray());
        Failure.check(Native.CALLS.timelineIpcOpen(device, scratch.address, scratch.at(IpcHandle.BYTES)));
        return scratch.getLong(IpcHandle.BYTES);
    }

    static IpcHandle exportIpc(long number) {
        Scratch scratch = Scratch.get();
        Failure.check(Native.CALLS.timelineIpcExport(number, scratch.address));
        return IpcHandle.of(scratch.getBytes(IpcHandle.BYTES));
    }
}
