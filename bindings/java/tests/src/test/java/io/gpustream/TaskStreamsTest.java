// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import static org.junit.jupiter.api.Assertions.*;

import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A stream for each thread of executors and fork-join pools. */
class TaskStreamsTest {
    private static final int THREADS = 4;

    private final TaskStreams streams = TaskStreams.create(Device.of(0));
    private final ExecutorService plain = Executors.newFixedThreadPool(THREADS);
    private final ExecutorService tasks = streams.executor(plain);

    @AfterEach
    void ends() throws Exception {
        tasks.shutdown();
        assertTrue(tasks.awaitTermination(Support.PATIENCE_SECONDS, TimeUnit.SECONDS));
        streams.close();
    }

    @Test
    void eachThreadHasAStreamOfItsOwn() throws Exception {
        CyclicBarrier all = new CyclicBarrier(THREADS);
        Callable<Long> meet = () -> {
            all.await(Support.PATIENCE_SECONDS, TimeUnit.SECONDS);
            assertEquals(Stream.current(), TaskStreams.stream());
            return Stream.current().nativeHandle();
        };
        for (int round = 0; round < 2; round++) {
            Set<Long> found = new HashSet<>();
            List<Future<Long>> futures = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                futures.add(tasks.submit(meet));
            }
            for (Future<Long> future : futures) {
                found.add(Support.get(future));
            }
            assertEquals(THREADS, found.size());
            assertFalse(found.contains(Stream.defaultStream().nativeHandle()));
            assertEquals(THREADS, streams.size());
        }
        Stream outside = Support.get(plain.submit(() -> Stream.current()));
        assertEquals(Stream.defaultStream(), outside, "only while a task runs");
    }

    /** A task's work waits for that of the thread that handed it over; the task itself does not. */
    @Test
    void tasksComeAfterWhatTheirCallerHasSubmitted() throws Exception {
        long waits = Library.stats().synchronizes();
        try (Stream caller = Stream.create();
                Support.Gate gate = new Support.Gate(caller);
                StreamScope scope = caller.scope()) {
            assertTrue(scope.isOpen());
            Event after = Support.get(tasks.submit(() -> Stream.current().recordEvent()));
            assertFalse(after.query());
            try (Stream result = Stream.create()) {
                streams.orderBefore(result);
                assertFalse(result.query());
                assertEquals(waits, Library.stats().synchronizes());
                gate.open();
                result.synchronize();
                assertTrue(after.query());
            }
            after.close();
        }
    }

    @Test
    void unrelatedTasksDoNotWaitForEachOther() throws Exception {
        try (Stream held = Stream.create();
                Support.Gate gate = new Support.Gate(held)) {
            CyclicBarrier both = new CyclicBarrier(2);
            AtomicReference<Event> waiting = new AtomicReference<>();
            Future<?> first = tasks.submit(() -> {
                Stream.current().waitStream(held);
                waiting.set(Stream.current().recordEvent());
                both.await(Support.PATIENCE_SECONDS, TimeUnit.SECONDS);
                return null;
            });
            Future<?> second = tasks.submit(() -> {
                both.await(Support.PATIENCE_SECONDS, TimeUnit.SECONDS);
                Stream.current().synchronize();
                return null;
            });
            Support.get(first);
            Support.get(second); // although the gate is closed
            assertFalse(waiting.get().query());
            gate.open();
            waiting.get().synchronize();
            waiting.get().close();
        }
    }

    @Test
    void workersOfAForkJoinPoolKeepTheirStreams() throws Exception {
        ForkJoinPool pool = new ForkJoinPool(THREADS, streams.workers(), null, false);
        try {
            Set<Long> found = new HashSet<>(Support.get(pool.submit(new Forking(6))));
            assertFalse(found.contains(Stream.defaultStream().nativeHandle()));
            assertTrue(found.size() <= streams.size() && !found.isEmpty());
            AtomicInteger wrong = new AtomicInteger();
            ForkJoinTask<?> parallel = pool.submit(() -> IntStream.range(0, 100).parallel().forEach(i -> {
                if (Stream.current().equals(Stream.defaultStream())) {
                    wrong.incrementAndGet();
                }
            }));
            Support.get(parallel);
            assertEquals(0, wrong.get());
        } finally {
            pool.shutdown();
            assertTrue(pool.awaitTermination(Support.PATIENCE_SECONDS, TimeUnit.SECONDS));
        }
    }

    /** The raw streams of all leaves. */
    private static final class Forking extends RecursiveTask<List<Long>> {
        private static final long serialVersionUID = 1;
        private final int depth;

        Forking(int depth) {
            this.depth = depth;
        }

        @Override
        protected List<Long> compute() {
            if (depth == 0) {
                return List.of(Stream.current().nativeHandle());
            }
            Forking left = new Forking(depth - 1);
            left.fork();
            List<Long> all = new ArrayList<>(new Forking(depth - 1).compute());
            all.addAll(left.join());
            return all;
        }
    }

    @Test
    void tasksOfOtherFrameworksBeginWithRun() throws Exception {
        Stream inside = Support.get(plain.submit(() -> {
            AtomicReference<Stream> found = new AtomicReference<>();
            streams.run(() -> {
                assertTrue(Stream.create().scope().isOpen()); // left open: ends with the task
                found.set(TaskStreams.stream());
            });
            assertEquals(Stream.defaultStream(), Stream.current());
            assertThrows(IllegalStateException.class, () -> streams.run(() -> {
                throw new IllegalStateException("thrown on purpose");
            }));
            assertEquals(Stream.defaultStream(), Stream.current());
            return found.get();
        }));
        assertNotEquals(Stream.defaultStream(), inside);
    }

    @Test
    void aThreadThatHasEndedLeavesItsStreamToAnother() throws Exception {
        for (int i = 0; i < 20; i++) {
            Support.onThread(() -> streams.run(() -> assertNotEquals(Stream.defaultStream(), Stream.current())));
        }
        assertTrue(streams.size() < 20, () -> streams.size() + " streams");
    }

    @Test
    void refusals() {
        Executor refusing = streams.executor((Executor) task -> {
            throw new RejectedExecutionException("on purpose");
        });
        assertThrows(RejectedExecutionException.class, () -> refusing.execute(() -> {}));
        Support.assertNull("task", () -> refusing.execute(null));
        assertEquals(Device.of(0), streams.device());
        TaskStreams closed = TaskStreams.create(Device.of(0));
        closed.run(() -> assertEquals(1, closed.size()));
        closed.close();
        closed.close();
        assertEquals(0, closed.size());
        assertThrows(IllegalStateException.class, () -> closed.run(() -> {}));
        assertThrows(IllegalStateException.class, () -> closed.orderBefore(Stream.defaultStream()));
        assertThrows(IllegalStateException.class, () -> closed.executor((Executor) Runnable::run).execute(() -> {}));
        TaskStreams nowhere = TaskStreams.create(Device.of(77));
        Support.assertStatus(Status.INVALID_DEVICE, () -> nowhere.run(() -> {}));
    }
}
