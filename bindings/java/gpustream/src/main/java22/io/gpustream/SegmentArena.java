// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;

/** The arena of the segments of one {@link HostMemory} or {@link HostBuffer}, made with the first of them. */
final class SegmentArena {
    private final IntSupplier device;
    private final Runnable end = this::close;
    private Arena arena;
    private int known; // while there is an arena

    /** {@code device}: number of the one whose reset ends the memory; asked before the first segment. */
    SegmentArena(IntSupplier device) {
        this.device = device;
    }

    /**
     * A segment of the memory or a part of it.
     *
     * @throws IllegalStateException if {@code address} does, because the memory is closed, or the memory has ended with
     *     its device
     */
    synchronized MemorySegment segment(LongSupplier address, long bytes) {
        // Asked under the lock, so that no segment is made between the end of the others and the memory's.
        long start = address.getAsLong();
        if (arena == null) {
            known = device.getAsInt();
            ResetDevices.opened(known, end);
            arena = Arena.ofShared();
        }
        return MemorySegment.ofAddress(start).reinterpret(bytes, arena, null);
    }

    /**
     * Ends the segments made so far, before their memory is unmapped. Threads that are accessing one get an
     * IllegalStateException. A native function that works on one cannot be stopped, so closing is refused then.
     */
    synchronized void close() {
        if (arena != null) {
            try {
                arena.close();
            } catch (IllegalStateException lent) {
                throw new IllegalStateException("a native function is using a segment of the host memory", lent);
            }
            arena = null;
            ResetDevices.closed(known, end);
        }
    }
}
