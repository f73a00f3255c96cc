// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import static io.gpustream.Support.assertStatus;
import static org.junit.jupiter.api.Assertions.*;

import io.gpustream.internal.Completions;
import io.gpustream.internal.Constants;
import io.gpustream.internal.TimelineValues;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Timelines: signals and waits of streams and threads, futures of values, limits, and the end. */
class TimelineTest {
    private static final Duration LONG = Duration.ofSeconds(Support.PATIENCE_SECONDS);

    private final Stream waits = Stream.create();
    private final Timeline timeline = Timeline.create();

    @AfterEach
    void ends() {
        timeline.close();
        waits.close();
        Support.eventually(() -> TimelineValues.pending() == 0);
    }

    private static Status failure(CompletableFuture<Void> future) {
        ExecutionException thrown = assertThrows(ExecutionException.class, () -> Support.get(future));
        return ((GpuStreamException) thrown.getCause()).status();
    }

    @Test
    void valuesAreReachedInTheirOrder() throws Exception {
        Support.get(timeline.completion(0));
        // The smallest one last: it must not wait for those before it.
        CompletableFuture<Void> third = timeline.completion(3);
        CompletableFuture<Void> second = timeline.completion(2);
        CompletableFuture<Void> again = timeline.completion(2);
        CompletableFuture<Void> first = timeline.completion(1);
        timeline.set(1);
        Support.get(first);
        assertFalse(second.isDone() || again.isDone() || third.isDone());
        try (Stream stream = Stream.create();
                Support.Gate gate = new Support.Gate(stream)) {
            timeline.signal(2, stream);
            assertFalse(second.isDone());
            gate.open();
            Support.get(CompletableFuture.allOf(second, again));
        }
        assertFalse(third.isDone());
        timeline.set(9);
        Support.get(third);
    }

    @Test
    void manyTimelines() throws Exception {
        List<Timeline> timelines = new ArrayList<>();
        List<CompletableFuture<Void>> futures = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            Timeline one = Timeline.create();
            timelines.add(one);
            for (long value = 10; value > 0; value--) {
                futures.add(one.completion(value));
            }
        }
        assertEquals(200, TimelineValues.pending());
        timelines.forEach(one -> one.set(10));
        Support.get(CompletableFuture.allOf(futures.toArray(CompletableFuture[]::new)));
        timelines.forEach(Timeline::close);
    }

    /** Each way to end a future takes it off the list. */
    @Test
    void endedFuturesAreForgotten() throws Exception {
        CompletableFuture<Void> kept = timeline.completion(1);
        timeline.completion(1).cancel(false);
        timeline.completion(2).complete(null);
        CompletableFuture<Void> late = timeline.completion(3).orTimeout(1, TimeUnit.MILLISECONDS);
        assertThrows(ExecutionException.class, () -> Support.get(late));
        Support.eventually(() -> TimelineValues.pending() == 1);
        timeline.set(1);
        Support.get(kept);
        // The thread of before may still be waiting for a value that no future waits for.
        CompletableFuture<Void> last = timeline.completion(4);
        timeline.set(4);
        Support.get(last);
    }

    @Test
    void theEndOfTheTimeline() {
        CompletableFuture<Void> aborted = timeline.completion(5);
        CompletableFuture<Void> too = timeline.completion(6);
        timeline.abort(Status.CANCELLED);
        assertEquals(Status.CANCELLED, failure(aborted));
        assertEquals(Status.CANCELLED, failure(too));
        Timeline other = Timeline.create();
        CompletableFuture<Void> closed = other.completion(5);
        other.close();
        assertEquals(Status.INVALID_HANDLE, failure(closed));
    }

    /** An entry that counts, and at first fails as where no thread can be started. */
    private static final class Failing extends Completions.Entry {
        final AtomicInteger done = new AtomicInteger();

        @Override
        protected void done(int status, int nativeCode) {
            if (done.incrementAndGet() < 3) {
                throw new OutOfMemoryError("no thread, on purpose");
            }
        }
    }

    @Test
    void whatFailsForOneFutureIsNoMatterOfTheOthers() throws Exception {
        Failing failing = new Failing();
        try (TestLog log = new TestLog()) {
            CompletableFuture<Void> later = timeline.completion(3);
            long number = timeline.handle.number;
            assertEquals(Constants.OK, TimelineValues.add(number, 1, failing, this));
            CompletableFuture<Void> same = timeline.completion(2);
            timeline.set(2);
            Support.get(same);
            timeline.set(3);
            Support.get(later);
            Support.eventually(() -> failing.done.get() == 3);
            assertEquals(1, log.records.size());
        }
    }

    /** A timeline that is only awaited is not closed by the reaper. */
    @Test
    void aFutureKeepsItsTimeline() throws Exception {
        Timeline[] one = {Timeline.create()};
        CompletableFuture<Void> future = one[0].completion(1);
        long number = one[0].handle();
        WeakReference<Timeline> dropped = new WeakReference<>(one[0]);
        one[0] = null;
        for (int i = 0; i < 3; i++) {
            System.gc();
            Thread.sleep(1);
        }
        assertFalse(future.isDone());
        assertTrue(dropped.get() != null);
        try (Timeline again = Timeline.fromHandle(number)) {
            again.set(1);
        }
        Support.get(future);
    }

    /** The debug mode is about threads that block. */
    @Test
    void theDebugModeDoesNotConcernFutures() throws Exception {
        Library.setSyncDebugMode(SyncDebugMode.ERROR);
        Library.setSyncDebugScope(SyncDebugScope.ALL);
        try {
            CompletableFuture<Void> future = timeline.completion(1);
            CompletableFuture<Void> failed = timeline.completion(2);
            timeline.set(1);
            Support.get(future);
            timeline.abort();
            assertEquals(Status.ABORTED, failure(failed));
            assertStatus(Status.ABORTED, () -> timeline.completion(3));
        } finally {
            Library.setSyncDebugScope(SyncDebugScope.TORCH);
            Library.setSyncDebugMode(SyncDebugMode.DEFAULT);
        }
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
