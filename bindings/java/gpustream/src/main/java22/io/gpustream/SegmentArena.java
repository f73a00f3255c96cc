// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** The arena of one {@link HostMemory}'s segments, made when the first of them is. */
final class SegmentArena {
    private Arena arena;

    /** A segment of the memory or a part of it. Throws IllegalStateException if the memory is closed. */
    synchronized MemorySegment segment(MemorySegments part) {
        // Asked under the lock, so that no segment is made between the end of the others and the memory's.
        long address = part.address();
        if (arena == null) {
            arena = Arena.ofShared();
        }
        return MemorySegment.ofAddress(address).reinterpret(part.byteSize(), arena, null);
    }

    /**
     * Ends the segments made so far, before their memory is unmapped. Threads that are just using one get an
     * IllegalStateException; only where a native function works on one there is nothing to stop, and it is refused.
     */
    synchronized void close() {
        if (arena != null) {
            try {
                arena.close();
            } catch (IllegalStateException lent) {
                throw new IllegalStateException("a native function is using a segment of the host memory", lent);
            }
            arena = null;
        }
    }
}
