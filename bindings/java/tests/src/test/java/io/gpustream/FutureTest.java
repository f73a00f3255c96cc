// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import static org.junit.jupiter.api.Assertions.*;

import io.gpustream.internal.Completions;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.*;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Futures of streams and events. */
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
}
