// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
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

    /** Submits work of a stream that uses the memory. Buffers order the stream, and are not freed before that is done. */
    void use(long stream, Runnable submit) {
        submit.run();
    }

    /** Of locks that are taken together, that of the smaller number is taken first. */
    long order() {
        return 0;
    }

    /** Submits work of a stream that uses those of {@code all} that are memory. */
    static void use(long stream, Runnable submit, Object... all) {
        List<Memory> memory = new ArrayList<>();
        for (Object one : all) {
            if (one instanceof Memory found) {
                memory.add(found);
            }
        }
        memory.sort(Comparator.comparingLong(one -> -one.order()));
        Runnable work = submit;
        for (Memory one : memory) { // the last one is locked first
            Runnable inner = work;
            work = () -> one.use(stream, inner);
        }
        work.run();
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
