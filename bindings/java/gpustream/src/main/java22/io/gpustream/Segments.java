// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/** Checks of memory that arenas of java.lang.foreign own. Exceptions name the parameter. */
final class Segments {
    private Segments() {}

    /** Throws IllegalStateException if the buffer belongs to a closed arena: Java does not check its address. */
    static void requireAlive(ByteBuffer buffer, String name) {
        requireAlive(MemorySegment.ofBuffer(buffer), name);
    }

    /** The same for a segment. */
    static void requireAlive(MemorySegment segment, String name) {
        if (!segment.scope().isAlive()) {
            throw new IllegalStateException(name + " is closed");
        }
    }
}
