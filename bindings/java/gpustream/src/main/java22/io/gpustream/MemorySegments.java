// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import java.lang.foreign.MemorySegment;

/** The part of {@link Memory} that needs java.lang.foreign: from Java 22 on. */
abstract class MemorySegments {
    MemorySegments() {}

    /** Address of the first byte. */
    public abstract long address();

    /** Size, bytes. */
    public abstract long byteSize();

    /** The address as a pointer, to pass to functions called through java.lang.foreign. Not for access from Java. */
    public MemorySegment asParameter() {
        return MemorySegment.ofAddress(address());
    }

    /**
     * The memory as a segment that Java code of any thread reads and writes until the memory is closed. Using it later
     * is an IllegalStateException.
     *
     * @throws UnsupportedOperationException unless it is host memory
     * @throws IllegalStateException if the memory is closed
     */
    public MemorySegment asSegment() {
        SegmentArena segments = segments();
        if (segments == null) {
            throw new UnsupportedOperationException("device memory is not for access from Java");
        }
        return segments.segment(this);
    }

    abstract SegmentArena segments();
}
