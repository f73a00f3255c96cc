// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import static io.gpustream.Support.assertNull;
import static io.gpustream.Support.assertStatus;
import static org.junit.jupiter.api.Assertions.*;

import io.gpustream.internal.Layouts;
import io.gpustream.internal.Native;
import io.gpustream.internal.Scratch;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Partitions: what they have, their flags, and their ends. */
class PartitionTest {
    private final Device device = Device.current();
    private final Partition part = create(1);
    private final int unit = part.info().unitSmCount();
    private final int all = part.info().deviceSmCount();

    @AfterEach
    void ends() {
        part.close();
    }

    private Partition create(int count, PartitionOption... flags) {
        return Partition.create(device, new int[] {count}, flags).get(0);
    }

    private void refused(String text, int[] counts, PartitionOption... flags) {
        GpuStreamException thrown =
                assertThrows(GpuStreamException.class, () -> Partition.create(device, counts, flags));
        assertEquals(Status.INVALID_ARGUMENT, thrown.status());
        assertTrue(thrown.getMessage().contains(text), thrown::getMessage);
    }

    @Test
    void theNumbersAreTrue() {
        PartitionInfo info = part.info();
        assertEquals(device, info.device());
        assertEquals(1, info.requestedSmCount());
        assertEquals(unit, info.smCount(), "rounded up");
        assertTrue(unit >= 1 && unit <= all);
        assertEquals(device.backend() == Backend.HOST, info.nativeHandle() == 0);
        assertEquals(0, info.streams());
        try (Stream one = part.stream();
                Stream two = part.stream(Integer.MIN_VALUE, StreamFlag.DEDICATED)) {
            assertNotEquals(one, two);
            assertEquals(device.priorityRange().greatest(), two.priority());
            assertEquals(2, part.info().streams());
        }
        assertEquals(info, part.info());
    }

    /** More than a thread's scratch memory has room for. */
    @Test
    void manyAtOnce() {
        int[] counts = new int[all / unit];
        Arrays.fill(counts, 1);
        List<Partition> made = Partition.create(device, counts);
        assertEquals(counts.length, made.size());
        made.forEach(Partition::close);
        int[] tooMany = new int[1025];
        Arrays.fill(tooMany, 1);
        refused("1 to 1024", tooMany);
        refused("do not fit", Arrays.copyOf(tooMany, 1024));
    }

    @Test
    void flagsArePassedOn() {
        try (Partition exact = create(unit, PartitionFlag.EXACT);
                Partition fine = create(1, PartitionFlag.FINE);
                Partition plan = create(1, PartitionFlag.PLAN)) {
            assertEquals(unit, exact.info().smCount());
            assertTrue(fine.info().smCount() <= unit);
            assertEquals(0, plan.info().nativeHandle());
            assertStatus(Status.INVALID_ARGUMENT, plan::stream);
        }
        if (unit > 1) {
            refused("units of", new int[] {unit, 1}, PartitionFlag.EXACT);
        }
    }

    @Test
    void numbersOfFlags() {
        assertEquals(4 * 256, PartitionFlag.COSCHEDULED.times(4).bits());
        assertEquals(32767 * 65536, PartitionFlag.CONCURRENCY.times(32767).bits());
        for (int wrong : new int[] {0, -1, 256}) {
            assertThrows(IllegalArgumentException.class, () -> PartitionFlag.COSCHEDULED.times(wrong));
        }
        assertThrows(IllegalArgumentException.class, () -> PartitionFlag.CONCURRENCY.times(32768));
        assertThrows(IllegalArgumentException.class, () -> PartitionFlag.QUEUES.times(1));
        if (device.backend() == Backend.HOST && all > 1) {
            try (Partition pair = create(
                    1, PartitionFlag.QUEUES, PartitionFlag.COSCHEDULED.times(2), PartitionFlag.CONCURRENCY.times(4))) {
                assertEquals(2, pair.info().smCount());
            }
        }
    }

    private static boolean isGone(long partition) {
        return Native.CALLS.partitionInfo(partition, Layouts.PARTITION_SUMMARY.prepare(Scratch.get()))
                == Status.INVALID_HANDLE.code();
    }

    /** Functions of Java run on a thread of Java, which may end what a host function of C may not. */
    @Test
    void aFunctionOfTheWorkMayCloseIt() {
        try (Stream stream = Stream.create()) {
            long number = part.handle();
            stream.launchHost(part::close);
            stream.synchronize();
            assertTrue(isGone(number));
        }
    }
}
