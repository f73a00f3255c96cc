// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Test;

/** What makes creating and closing an event cheap, in counts: bytes and driver calls. */
class EventCostTest {
    private static final int ROUNDS = 10_000;
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    /** Bytes that the calling thread allocates in {@code ROUNDS} calls, compiled or not. */
    private static long allocated(Runnable call) {
        for (int i = 0; i < ROUNDS; i++) {
            call.run();
        }
        long before = THREADS.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < ROUNDS; i++) {
            call.run();
        }
        return THREADS.getCurrentThreadAllocatedBytes() - before;
    }

    private static void assertAllocates(long bytes, Runnable call) {
        Support.onThread(() -> {
            long all = allocated(call);
            // Whatever the measurement itself allocates is less than a byte for each call.
            assertTrue(all < (bytes + 1) * ROUNDS, () -> all + " bytes in " + ROUNDS + " calls");
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
