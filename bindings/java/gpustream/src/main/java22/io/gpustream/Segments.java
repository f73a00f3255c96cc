// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Objects;

/** Checks of memory that arenas of java.lang.foreign own. Exceptions name the parameter. */
final class Segments {
    private Segments() {}

    /** Throws IllegalStateException if the buffer belongs to a closed arena: Java does not check its address. */
    static void requireAlive(ByteBuffer buffer, String name) {
        requireAlive(MemorySegment.ofBuffer(buffer), name);
    }

    /** Throws IllegalArgumentException if the segment is on the heap, IllegalStateException if its arena is closed. */
    static void requireNative(MemorySegment segment, String name) {
        if (!Objects.requireNonNull(segment, name).isNative()) {
            throw new IllegalArgumentException(name + " is on the heap: the collector may move its bytes");
        }
        requireAlive(segment, name);
    }

    /** Throws IllegalArgumentException if the segment is read-only. */
    static void requireWritable(MemorySegment segment, String name) {
        if (segment.isReadOnly()) {
            throw new IllegalArgumentException(name + " is read-only");
        }
    }

    private static void requireAlive(MemorySegment segment, String name) {
        if (!segment.scope().isAlive()) {
            throw new IllegalStateException(name + " is closed");
        }
    }
}
