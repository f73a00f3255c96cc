// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import static io.gpustream.Support.assertStatus;
import static org.junit.jupiter.api.Assertions.*;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Words of memory that streams write and wait for. */
class WordTest {
    private final Stream writes = Stream.create();
    private final Stream waits = Stream.create();
    private final HostMemory memory = HostMemory.allocate(32);
    private final ByteBuffer bytes = Support.zeroed(memory);

    @AfterEach
    void ends() {
        waits.close();
        writes.close();
        memory.close();
    }

    /** A stream waits until another one has written {@code met}, and not before. */
    private void meets(MemoryWord word, WordCondition condition, long value, long unmet, long met) {
        writes.writeValue(word, unmet);
        writes.synchronize();
        waits.waitValue(word, condition, value);
        assertFalse(waits.query(), () -> condition + " of " + unmet);
        writes.writeValue(word, met);
        waits.synchronize();
    }

    @Test
    void conditions() {
        // Each is unmet by one word and met by the next; what they mean the library's own tests prove.
        MemoryWord word = MemoryWord.of32(memory, 4);
        meets(word, WordCondition.GREATER_EQUAL, 7, 6, 8);
        meets(word, WordCondition.EQUAL, 7, 8, 7);
        meets(word, WordCondition.AND, 6, 1, 4);
        meets(word, WordCondition.NOR, 1, 0xffff_ffffL, 0xffff_fffdL);
    }

    @Test
    void widthsAndOffsets() {
        writes.writeValue(MemoryWord.of64(memory, 8), 0x1122_3344_5566_7788L);
        writes.writeValueWithoutBarrier(MemoryWord.of32(memory, 4), 0xffff_fffeL);
        writes.writeValue(MemoryWord.at32(memory.address() + 16), 5);
        writes.writeValue(MemoryWord.at64(memory.address() + 24), -2);
        writes.writeValue(MemoryWord.of32(memory.slice(16, 8), 4), 6);
        writes.synchronize();
        assertEquals(0, bytes.getInt(0));
        assertEquals(-2, bytes.getInt(4));
        assertEquals(0x1122_3344_5566_7788L, bytes.getLong(8));
        assertEquals(5, bytes.getInt(16));
        assertEquals(6, bytes.getInt(20));
        assertEquals(-2, bytes.getLong(24));
    }

    /** Devices without it say so. */
    @Test
    void flushing() {
        MemoryWord word = MemoryWord.of64(memory, 0);
        writes.writeValue(word, 1);
        writes.synchronize();
        try {
            waits.waitValueAndFlush(word, WordCondition.EQUAL, 1);
            waits.synchronize();
        } catch (GpuStreamException refused) {
            assertEquals(Status.NOT_SUPPORTED, refused.status());
        }
    }

    @Test
    void whatIsRefused() {
        MemoryWord word = MemoryWord.of64(memory, 0);
        MemoryWord narrow = MemoryWord.of32(memory, 0);
        assertStatus(Status.INVALID_ARGUMENT, () -> writes.writeValue(narrow, 1L << 32));
        assertStatus(Status.INVALID_ARGUMENT, () -> writes.writeValue(narrow, -1));
        assertStatus(Status.INVALID_ARGUMENT, () -> waits.waitValue(narrow, WordCondition.EQUAL, -1));
        assertThrows(IndexOutOfBoundsException.class, () -> MemoryWord.of64(memory, 25));
        assertThrows(IndexOutOfBoundsException.class, () -> MemoryWord.of32(memory, -4));
        assertThrows(IndexOutOfBoundsException.class, () -> MemoryWord.of32(memory, 29));
        HostMemory gone = HostMemory.allocate(8);
        MemoryWord inside = MemoryWord.of64(gone, 0);
        gone.close();
        assertTrue(inside.toString().contains("closed"), inside::toString);
        assertEquals("MemoryWord[32 bits, 0x40]", MemoryWord.at32(0x40).toString());
    }
}
