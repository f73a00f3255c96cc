// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import static io.gpustream.Support.assertStatus;
import static org.junit.jupiter.api.Assertions.*;

import io.gpustream.internal.Completions;
import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Waits with a limit. */
class WaitTest {
    private static final Duration LONG = Duration.ofSeconds(Support.PATIENCE_SECONDS);
    private static final Duration SHORT = Duration.ofMillis(2);

    private final Stream stream = Stream.create();
    private final Event event = Event.create();

    @AfterEach
    void ends() {
        event.close();
        stream.close();
        Support.eventually(() -> Completions.pending() == 0);
    }

    private static void waits(Support.Code<Boolean> wait) {
        Support.Running<Boolean> waiter = new Support.Running<>(wait).untilItWaits();
        waiter.thread.interrupt();
        assertInstanceOf(InterruptedException.class, waiter.thrown());
    }

    @Test
    void limitsOfStreamsEventsAndDevices() throws Exception {
        Device device = stream.device();
        try (Support.Gate gate = new Support.Gate(stream)) {
            event.record(stream);
            for (Duration limit : new Duration[] {Duration.ZERO, SHORT}) {
                assertFalse(stream.synchronize(limit));
                assertFalse(event.synchronize(limit));
                assertFalse(device.synchronize(limit));
                assertFalse(Event.synchronizeAll(List.of(event), limit));
                assertEquals(OptionalInt.empty(), Event.synchronizeAny(List.of(event), limit));
            }
            CompletableFuture<Void> opened = CompletableFuture.runAsync(gate::open);
            assertTrue(stream.synchronize(LONG));
            opened.join();
        }
        assertTrue(event.synchronize(LONG) && device.synchronize(LONG));
        assertTrue(stream.synchronize(Duration.ofSeconds(Long.MAX_VALUE)));
        assertTrue(Event.create().synchronize(Duration.ZERO), "it was never recorded");
    }

    @Test
    void anInterruptEndsAWait() {
        try (Support.Gate gate = new Support.Gate(stream)) {
            event.record(stream);
            waits(() -> stream.synchronize(LONG));
            waits(() -> event.synchronize(LONG));
            waits(() -> stream.device().synchronize(LONG));
            waits(() -> Event.synchronizeAll(List.of(event, event), LONG));
            waits(() -> Event.synchronizeAny(List.of(event), LONG).isPresent());
            Support.onThread(() -> {
                Thread.currentThread().interrupt();
                assertThrows(InterruptedException.class, () -> stream.synchronize(LONG), "interrupted before");
                assertFalse(Thread.interrupted());
            });
            Support.eventually(() -> Completions.pending() == 0);
            gate.open();
        }
    }

    @Test
    void oneOfSeveralEventsAndAllOfThem() throws Exception {
        try (Stream other = Stream.create(Device.of(1));
                Event second = Event.create();
                Support.Gate gate = new Support.Gate(stream);
                Support.Gate gateOfOther = new Support.Gate(other)) {
            event.record(stream);
            second.record(other);
            List<Event> both = List.of(event, second);
            Support.Running<OptionalInt> any = new Support.Running<>(() -> Event.synchronizeAny(both, LONG));
            gateOfOther.open();
            assertEquals(OptionalInt.of(1), any.get());
            assertFalse(Event.synchronizeAll(both, SHORT));
            gate.open();
            assertTrue(Event.synchronizeAll(both, LONG));
            assertEquals(OptionalInt.of(0), Event.synchronizeAny(both, Duration.ZERO));
            assertTrue(Event.synchronizeAll(List.of(), LONG));
            assertStatus(Status.INVALID_ARGUMENT, () -> Event.synchronizeAny(List.of(), LONG));
        }
    }

    /** Closing a stream that a thread waits for does not end the wait. */
    @Test
    void aStreamMayBeClosedDuringAWait() throws Exception {
        try (Support.Gate gate = new Support.Gate(stream)) {
            Support.Running<Boolean> waiter = new Support.Running<>(() -> stream.synchronize(LONG)).untilItWaits();
            stream.close();
            gate.open();
            assertTrue(waiter.get());
        }
    }
}
