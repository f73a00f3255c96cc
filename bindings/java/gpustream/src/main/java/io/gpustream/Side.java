// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import io.gpustream.internal.Native;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.function.LongSupplier;

/**
 * One side of a copy: memory, a direct buffer or, from Java 22 on, a native segment. Exceptions name the parameter.
 *
 * @param what memory, which the program keeps open, or what a copy keeps reachable
 * @param bytes its size
 * @param place gives the address of the first byte, while the memory is open
 */
record Side(Object what, long bytes, LongSupplier place) {
    static Side of(Memory memory, String name) {
        return new Side(Objects.requireNonNull(memory, name), memory.byteSize(), memory::address);
    }

    /** The buffer's remaining bytes, to be read. */
    static Side of(ByteBuffer buffer, String name) {
        if (!Objects.requireNonNull(buffer, name).isDirect()) {
            throw new IllegalArgumentException(name + " is no direct buffer: the collector may move its bytes");
        }
        Segments.requireAlive(buffer, name);
        long address = Native.BRIDGE.addressOf(buffer) + buffer.position();
        return new Side(buffer, buffer.remaining(), () -> address);
    }

    /** The same, to be written. */
    static Side toWrite(ByteBuffer buffer, String name) {
        if (Objects.requireNonNull(buffer, name).isReadOnly()) {
            throw new IllegalArgumentException(name + " is read-only");
        }
        return of(buffer, name);
    }

    long address() {
        return place.getAsLong();
    }

    boolean isMemory() {
        return what instanceof Memory;
    }

    /** The size of both sides, bytes. Throws IllegalArgumentException if they differ. */
    static long common(long target, long source) {
        if (target != source) {
            throw new IllegalArgumentException("target has " + target + " bytes, source has " + source);
        }
        return target;
    }
}
