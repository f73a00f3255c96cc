// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import static io.gpustream.Support.assertNull;
import static io.gpustream.Support.assertStatus;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gpustream.internal.Layouts;
import io.gpustream.internal.Native;
import io.gpustream.internal.Scratch;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
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

    private Partition create(int count, PartitionFlag... flags) {
        return Partition.create(device, new int[] {count}, flags).get(0);
    }

    private void refused(String text, int[] counts, PartitionFlag... flags) {
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
    void flagsAreNamed() {
        assertNull("flag", () -> Partition.create(device, new int[] {1}, (PartitionFlag) null));
        assertNull("flag", () -> part.stream(0, (StreamFlag) null));
    }

    @Test
    void exactAndFine() {
        try (Partition exact = create(unit, PartitionFlag.EXACT);
                Partition fine = create(1, PartitionFlag.FINE)) {
            assertEquals(unit, exact.info().smCount());
            assertTrue(fine.info().smCount() <= unit);
        }
        if (unit > 1) {
            refused("units of", new int[] {unit, 1}, PartitionFlag.EXACT);
        }
    }

    @Test
    void streamsOutliveTheirPartition() {
        Stream stream = part.stream();
        try (Support.Gate gate = new Support.Gate(stream)) {
            long number = part.handle();
            assertEquals("Partition[0x" + Long.toHexString(number) + "]", part.toString());
            part.close();
            part.close();
            assertFalse(part.isOpen());
            assertEquals("Partition[closed]", part.toString());
            assertThrows(IllegalStateException.class, part::info);
            assertThrows(IllegalStateException.class, part::stream);
            assertThrows(IllegalStateException.class, part::handle);
            assertTrue(isGone(number));
            assertFalse(stream.query(), "its work goes on");
        }
        stream.synchronize();
        stream.recordEvent().close();
        stream.close();
    }

    @Test
    void aPartitionThatOtherCodeHasEndedIsRefused() {
        Partition ended = create(1);
        assertEquals(0, Native.CALLS.partitionDestroy(ended.handle()));
        assertStatus(Status.INVALID_HANDLE, ended::info);
        assertStatus(Status.INVALID_HANDLE, ended::stream);
        try (TestLog log = new TestLog()) {
            ended.close();
            assertTrue(log.messages().stream().anyMatch(text -> text.contains("partition")), () -> log.messages()
                    .toString());
        }
    }

    private static boolean isGone(long partition) {
        return Native.CALLS.partitionInfo(partition, Layouts.PARTITION_SUMMARY.prepare(Scratch.get()))
                == Status.INVALID_HANDLE.code();
    }

    @Test
    void forgottenOnesEnd() {
        long[] numbers = IntStream.range(0, 50).mapToLong(i -> create(1).handle()).toArray();
        Support.eventually(() -> {
            System.gc();
            return Arrays.stream(numbers).allMatch(PartitionTest::isGone);
        });
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
