// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import static io.gpustream.Support.assertStatus;
import static org.junit.jupiter.api.Assertions.*;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Timelines: signals and waits of streams and threads, limits, and the end. */
class TimelineTest {
    private static final Duration LONG = Duration.ofSeconds(Support.PATIENCE_SECONDS);

    private final Stream waits = Stream.create();
    private final Timeline timeline = Timeline.create();

    @AfterEach
    void ends() {
        timeline.close();
        waits.close();
    }

    @Test
    void theCurrentStreamSignalsAndWaits() {
        try (Support.Gate gate = new Support.Gate(waits);
                StreamScope scope = waits.scope();
                Timeline later = Timeline.create(waits.device(), 5)) {
            later.signal(6);
            later.makeWait(6);
            assertEquals(5, later.value());
            assertFalse(waits.query());
            gate.open();
            waits.synchronize();
            assertEquals(6, later.value());
        }
    }

    @Test
    void limitsAndInterrupts() throws Exception {
        assertFalse(timeline.synchronize(1, Duration.ZERO));
        assertFalse(timeline.synchronize(1, Duration.ofMillis(1)));
        Support.Running<Boolean> waiter = new Support.Running<>(() -> timeline.synchronize(1, LONG));
        waiter.thread.interrupt();
        assertInstanceOf(InterruptedException.class, waiter.thrown());
        CompletableFuture<Void> set = CompletableFuture.runAsync(() -> timeline.set(1));
        assertTrue(timeline.synchronize(1, LONG));
        assertTrue(timeline.synchronize(1, Duration.ZERO));
        set.join();
    }

    @Test
    void anAbortLetsAllGoOn() {
        timeline.makeWait(9, waits);
        timeline.abort(Status.CANCELLED);
        waits.synchronize();
        timeline.abort(); // the first status stays
        assertStatus(Status.CANCELLED, timeline::value);
        assertStatus(Status.CANCELLED, () -> timeline.synchronize(0, LONG));
        assertStatus(Status.CANCELLED, () -> timeline.completion(0));
        try (Timeline other = Timeline.create()) {
            assertStatus(Status.INVALID_ARGUMENT, () -> other.abort(Status.UNKNOWN));
            other.abort();
            assertStatus(Status.ABORTED, other::value);
        }
    }
}
