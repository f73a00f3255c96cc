// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Creating and closing many times needs no more memory than once, and few bytes each time. */
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

    private static final int CALLS = 10_000;
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    /** Bytes that the calling thread allocates in {@code CALLS} calls, compiled or not. */
    private static long allocated(Runnable call) {
        for (int i = 0; i < CALLS; i++) {
            call.run();
        }
        long before = THREADS.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < CALLS; i++) {
            call.run();
        }
        return THREADS.getCurrentThreadAllocatedBytes() - before;
    }

    private static void assertAllocates(long bytes, Runnable call) {
        Support.onThread(() -> {
            long all = allocated(call);
            // Whatever the measurement itself allocates is less than a byte for each call.
            assertTrue(all < (bytes + 1) * CALLS, () -> all + " bytes in " + CALLS + " calls");
        });
    }

    @Test
    void anEventIsTwoObjectsAndItsPlace() {
        // 32 and 56 bytes, and a 64th of a block of 64 places.
        assertAllocates(88 + 5, () -> Event.create().close());
    }

    @Test
    void theOtherCallsAllocateNothingButWhatTheyReturn() {
        try (Stream stream = Stream.create();
                Event event = stream.recordEvent()) {
            assertAllocates(0, () -> event.record(stream));
            assertAllocates(0, event::handle);
            assertAllocates(0, event::makeWait);
            assertAllocates(0, event::id);
            assertAllocates(32, () -> stream.scope().close());
            Device device = Device.of(0);
            assertAllocates(40, () -> device.scope().close());
        }
    }
}
