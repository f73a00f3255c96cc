// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Creating and closing many times needs no more memory than once. */
class LeakTest {
    private static final int ROUNDS = Support.FULL ? 10_000_000 : 500_000;

    /** What closed objects may leave: caches of the library and of the allocator, nothing per object. */
    private static final long SLACK_KB = 24 * 1024;

    private static long residentKb() throws IOException {
        for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
            if (line.startsWith("RssAnon:")) {
                return Long.parseLong(line.replaceAll("\\D", ""));
            }
        }
        throw new IOException("no RssAnon in /proc/self/status");
    }

    private static void rounds(int count) {
        for (int i = 0; i < count; i++) {
            try (Event event = Event.create();
                    Stream stream = Stream.create()) {
                if ((i & 1023) == 0) {
                    event.record(stream);
                }
            }
        }
    }

    private static long heapUsed() {
        System.gc();
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }

    @Test
    void closedObjectsLeaveNothing() throws IOException {
        rounds(ROUNDS / 10); // until heap, pools and compiled code have their final size
        long heap = heapUsed();
        long before = residentKb();
        long streams = FakeDriver.live(0);
        rounds(ROUNDS);
        long grown = heapUsed() - heap;
        assertTrue(grown < 4 << 20, () -> "the heap grew by " + grown + " bytes");
        long after = residentKb();
        // The heap has a fixed size and is resident from the start, so growth is native.
        assertTrue(after - before < SLACK_KB, () -> "memory grew from " + before + " to " + after + " kB");
        assertTrue(FakeDriver.live(0) - streams < 64, () -> "driver streams: " + streams + ", " + FakeDriver.live(0));
    }

    /** Forgotten memory is not freed, but a warning is logged. */
    @Test
    void forgottenMemoryIsReported() {
        try (TestLog log = new TestLog()) {
            forgetMemory();
            Support.eventually(() -> {
                System.gc();
                return List.of("host memory of 4711", "device buffer of 4712", "host buffer of 4713")
                        .stream()
                        .allMatch(what -> log.messages().stream().anyMatch(text -> text.contains(what + " bytes")));
            });
            assertTrue(log.messages().stream().noneMatch(text -> text.contains(" of 0 bytes")), log.messages()::toString);
        }
    }

    private static void forgetMemory() {
        assertTrue(HostMemory.allocate(0).address() == 0);
        assertTrue(DeviceBuffer.allocate(0).address() == 0);
        assertTrue(HostMemory.allocate(4711).address() != 0);
        assertTrue(DeviceBuffer.allocate(4712).address() != 0);
        assertTrue(HostBuffer.allocate(4713).slice(1, 2).address() != 0);
    }
}
