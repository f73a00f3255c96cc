// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import java.lang.foreign.MemorySegment;

/** The part of {@link Memory} that needs java.lang.foreign: from Java 22 on. */
abstract class MemorySegments {
    MemorySegments() {}

    /** {@return address of the first byte} */
    public abstract long address();

    /** {@return size, bytes} */
    public abstract long byteSize();

    /**
     * {@return the address as a pointer, to pass to functions called through java.lang.foreign; no access from Java}
     *
     * @throws IllegalStateException if the memory is closed
     */
    public MemorySegment asParameter() {
        return MemorySegment.ofAddress(address());
    }

    /**
     * Returns the memory as a segment that Java code of any thread reads and writes until the memory is closed, or its
     * device is reset by {@link Device#reset}. Later accesses throw IllegalStateException. Of a {@link HostBuffer} or a
     * slice of one it blocks as {@link HostBuffer#asByteBuffer} does.
     *
     * @return a new segment
     * @throws UnsupportedOperationException unless it is host memory or a host buffer
     * @throws IllegalStateException if the memory is closed, or has ended with its device
     */
    public MemorySegment asSegment() {
        SegmentArena segments = segments();
        if (segments == null) {
            throw new UnsupportedOperationException("device memory is not for access from Java");
        }
        awaitAccess();
        return segments.segment(this::address, byteSize());
    }

    abstract SegmentArena segments();

    abstract void awaitAccess();
}
