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
     * The memory as a segment that Java code reads and writes. It must not be used after the memory is closed: Java
     * cannot check that.
     *
     * @throws UnsupportedOperationException unless it is host memory
     */
    public MemorySegment asSegment() {
        if (!isHostMemory()) {
            throw new UnsupportedOperationException("device memory is not for access from Java");
        }
        return MemorySegment.ofAddress(address()).reinterpret(byteSize());
    }

    abstract boolean isHostMemory();
}
