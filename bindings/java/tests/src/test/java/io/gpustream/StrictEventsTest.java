// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import static io.gpustream.Support.assertStatus;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** First records, waits without a record, nanoseconds and absolute times. */
class StrictEventsTest {
    @Test
    void theFirstRecordStays() {
        Event closed = Event.create();
        closed.close();
        try (Stream stream = Stream.create();
                Event event = Event.create();
                Event other = Event.create()) {
            assertTrue(event.recordOnce(stream));
            assertFalse(event.recordOnce(stream));
            assertFalse(event.recordOnce());
            event.record(stream);
            assertFalse(event.recordOnce(stream));
            assertTrue(other.recordOnce());
            assertThrows(IllegalStateException.class, () -> closed.recordOnce(stream));
        }
    }

    @Test
    void waitsWithoutARecordFailOnRequest() {
        try (Stream stream = Stream.create();
                Event event = Event.create()) {
            assertEquals(UnrecordedMode.IGNORE, Library.unrecordedMode());
            stream.waitEvent(event);
            Library.setUnrecordedMode(UnrecordedMode.ERROR);
            try {
                assertEquals(UnrecordedMode.ERROR, Library.unrecordedMode());
                assertStatus(Status.NOT_RECORDED, () -> stream.waitEvent(event));
                assertStatus(Status.NOT_RECORDED, () -> event.makeWait(stream));
                assertStatus(Status.NOT_RECORDED, event::synchronize);
                assertTrue(event.query());
            } finally {
                Library.setUnrecordedMode(UnrecordedMode.IGNORE);
            }
        }
    }

    @Test
    void timesInNanoseconds() throws Exception {
        try (Stream stream = Stream.create();
                Event start = Event.timed();
                Event end = Event.timed();
                Event plain = Event.create()) {
            assertStatus(Status.TIMING_DISABLED, () -> start.elapsedNs(plain));
            assertStatus(Status.NOT_RECORDED, () -> start.elapsedNs(end));
            start.record(stream);
            stream.sleep(2_000_000);
            end.record(stream);
            CompletableFuture<Long> elapsed = start.elapsedNsAsync(end);
            long ns = elapsed.get(60, TimeUnit.SECONDS);
            assertEquals(start.elapsedNs(end), ns);
            assertEquals(-ns, end.elapsedNs(start));
            assertEquals(Math.round(start.elapsedMs(end) * 1e6), ns);
        }
    }

    @Test
    void timesByTheHostsClock() {
        try (Stream stream = Stream.create();
                Event event = Event.timed()) {
            assertTrue(Device.current().calibrate() > 0);
            assertStatus(Status.NOT_RECORDED, event::hostTime);
            long before = System.nanoTime();
            event.record(stream);
            event.synchronize();
            long after = System.nanoTime();
            HostTime time = event.hostTime();
            assertTrue(time.errorNs() > 0);
            assertFalse(time.ns() + time.errorNs() < before);
            assertFalse(time.ns() - time.errorNs() > after);
        }
    }
}
