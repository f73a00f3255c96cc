// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import io.gpustream.internal.Constants;
import java.util.Objects;

/**
 * A word of 32 or 64 bits in {@link HostMemory} or in a device's memory, which {@link Stream#writeValue} writes and
 * {@link Stream#waitValue} watches. It keeps the memory reachable, not open. Immutable.
 */
public final class MemoryWord {
    private final Memory memory; // null: the offset is the address
    private final long offset;
    private final boolean narrow;

    private MemoryWord(Memory memory, long offset, boolean narrow) {
        this.memory = memory;
        this.offset = offset;
        this.narrow = narrow;
    }

    /**
     * {@return a word of 64 bits}
     *
     * @param memory open memory
     * @param offset the word's first byte, from 0; a multiple of 8 in memory that gpustream allocated
     * @throws IndexOutOfBoundsException if the word is not inside
     */
    public static MemoryWord of64(Memory memory, long offset) {
        return inside(memory, offset, Long.BYTES);
    }

    /**
     * {@return a word of 32 bits}
     *
     * @param memory open memory
     * @param offset the word's first byte, from 0; a multiple of 4 in memory that gpustream allocated
     * @throws IndexOutOfBoundsException if the word is not inside
     */
    public static MemoryWord of32(Memory memory, long offset) {
        return inside(memory, offset, Integer.BYTES);
    }

    private static MemoryWord inside(Memory memory, long offset, int bytes) {
        Objects.checkFromIndexSize(offset, bytes, Objects.requireNonNull(memory, "memory").byteSize());
        return new MemoryWord(memory, offset, bytes == Integer.BYTES);
    }

    /**
     * {@return a word of 64 bits at an address, which the caller keeps valid}
     *
     * @param address a multiple of 8, in memory that the driver knows
     */
    public static MemoryWord at64(long address) {
        return new MemoryWord(null, address, false);
    }

    /**
     * {@return a word of 32 bits at an address, which the caller keeps valid}
     *
     * @param address a multiple of 4, in memory that the driver knows
     */
    public static MemoryWord at32(long address) {
        return new MemoryWord(null, address, true);
    }

    /**
     * {@return the word's address}
     *
     * @throws IllegalStateException if its memory is closed
     */
    public long address() {
        return memory == null ? offset : memory.address() + offset;
    }

    /** {@return the word's size: 4 or 8 bytes} */
    public int byteSize() {
        return narrow ? Integer.BYTES : Long.BYTES;
    }

    int widthFlag() {
        return narrow ? Constants.VALUE_32 : 0;
    }

    /** {@return width and place} */
    @Override
    public String toString() {
        String place = memory == null ? "0x" + Long.toHexString(offset) : memory + " + " + offset;
        return "MemoryWord[" + 8 * byteSize() + " bits, " + place + "]";
    }
}
