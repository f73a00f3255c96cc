// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import static io.gpustream.Support.assertStatus;
import static org.junit.jupiter.api.Assertions.*;

import io.gpustream.internal.Completions;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.*;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Futures of streams and events, and waits with a limit. */
class FutureTest {
    private final Stream stream = Stream.create();
    private final Event event = Event.create();

    @AfterEach
    void ends() {
        event.close();
        stream.close();
        Support.eventually(() -> Completions.pending() == 0);
    }

    @Test
    void aFutureOfAnEvent() throws Exception {
        Support.get(event.completion()); // never recorded
        CompletableFuture<Void> done;
        try (Support.Gate gate = new Support.Gate(stream)) {
            event.record(stream);
            done = event.completion();
            event.record(stream);
            assertFalse(done.isDone());
            gate.open();
        }
        Support.get(done);
    }

    /** Each way to end a future takes its entry out of the queue. */
    @Test
    void endedFuturesLeaveTheQueue() {
        try (Support.Gate gate = new Support.Gate(stream)) {
            event.record(stream);
            CompletableFuture<Void> cancelled = stream.completion();
            CompletableFuture<Void> late = event.completion().orTimeout(1, TimeUnit.MILLISECONDS);
            CompletableFuture<Void> completed = stream.completion();
            assertTrue(cancelled.cancel(false));
            assertTrue(completed.complete(null));
            ExecutionException thrown = assertThrows(
                    ExecutionException.class, () -> Support.get(late));
            assertTrue(thrown.getCause() instanceof TimeoutException);
            assertThrows(CancellationException.class, cancelled::join);
            Support.eventually(() -> Completions.pending() == 0);
            assertFalse(stream.query(), "the work goes on");
            gate.open();
        }
    }

    @Test
    void manyFuturesEachCompleteOnce() throws Exception {
        AtomicInteger completed = new AtomicInteger();
        List<CompletableFuture<Void>> all = new ArrayList<>();
        try (Stream other = Stream.create()) {
            for (int i = 0; i < 2000; i++) {
                Stream one = i % 2 == 0 ? stream : other;
                one.sleep(100);
                all.add(one.completion().thenRun(completed::incrementAndGet));
            }
        }
        CompletableFuture.allOf(all.toArray(CompletableFuture[]::new)).get(Support.PATIENCE_SECONDS, TimeUnit.SECONDS);
        assertEquals(2000, completed.get());
    }

    /** What depends on a future runs although nothing refers to the future, and it is gone afterwards. */
    @Test
    void aForgottenFutureCompletes() {
        AtomicInteger ran = new AtomicInteger();
        WeakReference<CompletableFuture<Void>> future;
        try (Support.Gate gate = new Support.Gate(stream)) {
            future = forget(ran);
            System.gc();
            assertEquals(0, ran.get());
            gate.open();
        }
        Support.eventually(() -> ran.get() == 1);
        Support.assertCollected(future);
    }

    private WeakReference<CompletableFuture<Void>> forget(AtomicInteger ran) {
        CompletableFuture<Void> future = stream.completion();
        future.thenRun(ran::incrementAndGet);
        return new WeakReference<>(future);
    }

    private static final Duration LONG = Duration.ofSeconds(Support.PATIENCE_SECONDS);
    private static final Duration SHORT = Duration.ofMillis(2);

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
