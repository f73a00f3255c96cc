// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import io.gpustream.internal.Native;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
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
    private static final int LARGEST_BUFFER = Integer.MAX_VALUE - 8;

    private final long bytes;

    Memory(long bytes) {
        this.bytes = bytes;
    }

    /**
     * {@return address of the first byte, for kernels and other libraries}
     *
     * @throws IllegalStateException if the memory is closed
     */
    public abstract long address();

    /** {@return size, bytes} */
    public final long byteSize() {
        return bytes;
    }

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

    /** The whole as a direct buffer. The limit is that of MemorySegment.asByteBuffer(), which JNI would allow to exceed by 8. */
    final ByteBuffer buffer() {
        if (bytes > LARGEST_BUFFER) {
            throw new UnsupportedOperationException("a buffer has at most 2^31 - 9 bytes, this memory " + bytes);
        }
        return Native.BRIDGE.bufferOf(address(), (int) bytes).order(ByteOrder.nativeOrder());
    }

    /** {@return address and size, or that it is closed} */
    @Override
    public String toString() {
        String name = getClass().getSimpleName();
        try {
            return name + "[0x" + Long.toHexString(address()) + ", " + bytes + " bytes]";
        } catch (IllegalStateException closed) {
            return name + "[" + bytes + " bytes, closed]";
        }
    }

    /** Part of another memory. */
    static final class Slice extends Memory {
        private final Memory whole;
        private final long offset;

        private Slice(Memory whole, long offset, long bytes) {
            super(bytes);
            this.whole = whole;
            this.offset = offset;
        }

        @Override
        public long address() {
            return whole.address() + offset;
        }

        @Override
        SegmentArena segments() {
            return whole.segments();
        }
    }
}
