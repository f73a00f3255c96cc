// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import java.util.Objects;

/**
 * A range of memory with an address: {@link DeviceMemory}, {@link HostMemory}, {@code DeviceBuffer}, {@code HostBuffer},
 * or a slice of one. Accesses are checked against the range and against close. Whether work is still pending on it only
 * the program knows, except for buffers, which go by a stream.
 */
public abstract sealed class Memory extends MemorySegments permits DeviceMemory, HostMemory, OrderedMemory, Memory.Slice {
    Memory() {}

    /**
     * {@return address of the first byte, for kernels and other libraries}
     *
     * @throws IllegalStateException if the memory is closed
     */
    public abstract long address();

    /** {@return size, bytes} */
    public abstract long byteSize();

    /**
     * Returns a part of the memory. It is closed with the whole.
     *
     * @param offset first byte, from 0
     * @param bytes size
     * @return the part, which keeps the whole reachable
     * @throws IndexOutOfBoundsException if the part is not inside
     */
    public Memory slice(long offset, long bytes) {
        Objects.checkFromIndexSize(offset, bytes, byteSize());
        return new Slice(this, offset, bytes);
    }

    /** The arena of the segments that Java code reads and writes; null for device memory. */
    abstract SegmentArena segments();

    /** Before Java code is given a segment: blocks until work is done that may use the memory, as far as it is known. */
    void awaitAccess() {
        // Whether work is pending only the program knows.
    }

    /** Part of another memory. */
    static final class Slice extends Memory {
        private final Memory whole;
        private final long offset;
        private final long bytes;

        private Slice(Memory whole, long offset, long bytes) {
            this.whole = whole;
            this.offset = offset;
            this.bytes = bytes;
        }

        @Override
        public long address() {
            return whole.address() + offset;
        }

        @Override
        public long byteSize() {
            return bytes;
        }

        @Override
        SegmentArena segments() {
            return whole.segments();
        }
    }
}
