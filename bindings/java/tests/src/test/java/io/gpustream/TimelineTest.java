// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import static io.gpustream.Support.assertStatus;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Timelines: signals and waits of streams and threads, limits, and the end. */
class TimelineTest {
    private static final Duration LONG = Duration.ofSeconds(Support.PATIENCE_SECONDS);

    private final Stream waits = Stream.create();
    private final Stream signals = Stream.create();
    private final Timeline timeline = Timeline.create();

    @AfterEach
    void ends() {
        timeline.close();
        signals.close();
        waits.close();
    }

    @Test
    void aWaitMayComeBeforeItsSignal() {
        timeline.makeWait(2, waits);
        assertFalse(waits.query());
        timeline.set(1);
        assertFalse(waits.query());
        assertEquals(1, timeline.value());
        timeline.signal(2, signals);
        waits.synchronize();
        timeline.synchronize(2);
        assertEquals(2, timeline.value());
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
    void aHostFunctionSignals() {
        timeline.makeWait(1, waits);
        signals.launchHost(() -> timeline.set(1));
        waits.synchronize();
    }

    @Test
    void limitsAndInterrupts() throws Exception {
        assertFalse(timeline.synchronize(1, Duration.ZERO));
        assertFalse(timeline.synchronize(1, Duration.ofMillis(1)));
        assertThrows(IllegalArgumentException.class, () -> timeline.synchronize(1, Duration.ofNanos(-1)));
        CompletableFuture<Void> interrupted = new CompletableFuture<>();
        Thread waiter = new Thread(() -> {
            try {
                timeline.synchronize(1, LONG);
                interrupted.completeExceptionally(new AssertionError("it was not reached"));
            } catch (InterruptedException wanted) {
                interrupted.complete(null);
            }
        });
        waiter.start();
        waiter.interrupt();
        interrupted.get(Support.PATIENCE_SECONDS, TimeUnit.SECONDS);
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
        assertStatus(Status.CANCELLED, () -> timeline.set(10));
        assertStatus(Status.CANCELLED, () -> timeline.signal(10, signals));
        assertStatus(Status.CANCELLED, () -> timeline.makeWait(10, waits));
        assertStatus(Status.CANCELLED, () -> timeline.synchronize(0));
        assertStatus(Status.CANCELLED, () -> timeline.synchronize(0, LONG));
        assertStatus(Status.CANCELLED, () -> timeline.completion(0));
        try (Timeline other = Timeline.create()) {
            assertStatus(Status.INVALID_ARGUMENT, () -> other.abort(Status.OK));
            assertStatus(Status.INVALID_ARGUMENT, () -> other.abort(Status.TIMEOUT));
            assertStatus(Status.INVALID_ARGUMENT, () -> other.abort(Status.UNKNOWN));
            other.abort();
            assertStatus(Status.ABORTED, other::value);
        }
    }

    @Test
    void closingTheLastObjectLetsStreamsGoOn() {
        Timeline other = timeline.retain();
        assertEquals(timeline, other);
        assertEquals(timeline.hashCode(), other.hashCode());
        timeline.makeWait(1, waits);
        timeline.close();
        timeline.close();
        assertFalse(waits.query());
        assertFalse(timeline.isOpen());
        assertThrows(IllegalStateException.class, () -> timeline.set(1));
        assertThrows(IllegalStateException.class, () -> timeline.completion(1));
        assertThrows(IllegalStateException.class, timeline::handle);
        assertEquals("Timeline[closed]", timeline.toString());
        long number = other.handle();
        assertEquals("Timeline[0x" + Long.toHexString(number) + "]", other.toString());
        try (Timeline third = Timeline.fromHandle(number)) {
            assertEquals(third, other);
            assertNotEquals(third, null);
        }
        other.close();
        waits.synchronize();
        assertStatus(Status.INVALID_HANDLE, () -> Timeline.fromHandle(number));
        assertStatus(Status.INVALID_HANDLE, () -> Timeline.fromHandle(waits.handle.number));
    }

    @Test
    void theDebugModeForbidsWaitsOfThreads() {
        Library.setSyncDebugMode(SyncDebugMode.ERROR);
        Library.setSyncDebugScope(SyncDebugScope.ALL);
        try {
            assertStatus(Status.SYNC_FORBIDDEN, () -> timeline.synchronize(0));
            assertStatus(Status.SYNC_FORBIDDEN, () -> timeline.synchronize(0, LONG));
        } finally {
            Library.setSyncDebugScope(SyncDebugScope.TORCH);
            Library.setSyncDebugMode(SyncDebugMode.DEFAULT);
        }
    }
}
