// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import static org.junit.jupiter.api.Assertions.*;

import java.time.Duration;
import java.util.*;
import java.util.concurrent.*;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** A virtual thread may do everything but change what is current. */
class VirtualThreadTest {
    private static final Duration LONG = Duration.ofSeconds(Support.PATIENCE_SECONDS);

    private static <T> Support.Running<T> running(Support.Code<T> code) {
        return new Support.Running<>(code, Thread.ofVirtual()::unstarted);
    }

    private static void onVirtualThread(Executable code) throws Exception {
        running(() -> {
            code.execute();
            return null;
        }).get();
    }

    private static void assertRefused(String method, Executable call) {
        GpuStreamException thrown = assertThrows(GpuStreamException.class, call);
        assertEquals(Status.NOT_PERMITTED, thrown.status());
        assertTrue(thrown.getMessage().contains(method + " on a virtual thread"), thrown::getMessage);
    }

    @Test
    void changingWhatIsCurrentIsRefused() throws Exception {
        onVirtualThread(() -> {
            try (Stream stream = Stream.create(Device.of(1))) {
                assertRefused("Stream.setCurrent", stream::setCurrent);
                assertRefused("Stream.exchangeCurrent", stream::exchangeCurrent);
                assertRefused("StreamScope.open", stream::scope);
                assertRefused("Device.scope", () -> Device.of(1).scope());
                assertRefused("Device.setCurrent", () -> Device.of(1).setCurrent());
                assertRefused("Range.push", () -> Range.push("of the carrier"));
                StartedRange.start("of a task").close();
                assertRefused("Device.exchange", () -> Device.of(1).exchange());
                assertEquals(Device.of(0), Device.current());
                assertEquals(Stream.defaultStream(), Stream.current());
            }
        });
    }

    @Test
    void aScopeOfAPlatformThreadIsNotAVirtualThreadsToClose() throws Exception {
        try (Stream stream = Stream.create();
                StreamScope scope = stream.scope()) {
            onVirtualThread(() -> Support.assertStatus(Status.SCOPE, scope::close));
            assertTrue(scope.isOpen());
        }
    }

    @Test
    void manyVirtualThreadsWorkAtOnce() throws Exception {
        List<Future<?>> futures = new ArrayList<>();
        try (ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < 500; i++) {
                Device device = Device.of(i % 2);
                futures.add(executor.submit(() -> {
                    try (Stream first = Stream.create(device);
                            Stream second = Stream.create(device);
                            Event event = Event.create()) {
                        first.sleep(1000);
                        event.record(first);
                        Thread.yield();
                        second.waitEvent(event);
                        Support.get(second.completion());
                        assertTrue(event.query());
                        assertThrows(IllegalArgumentException.class, () -> Device.of(-1));
                        Support.assertStatus(Status.INVALID_HANDLE, () -> Stream.fromNative(3, device));
                    }
                    return null;
                }));
            }
            for (Future<?> future : futures) {
                Support.get(future);
            }
        }
    }

    /** The driver knows a capture by the thread that began it, unless it is relaxed. */
    @Test
    void onlyRelaxedCapturesBelongToNoThread() throws Exception {
        onVirtualThread(() -> {
            try (Stream stream = Stream.create()) {
                assertRefused("Stream.capture", stream::capture);
                assertRefused("Stream.capture", () -> stream.capture(CaptureMode.THREAD_LOCAL));
                assertFalse(stream.isCapturing());
                try (Capture capture = stream.capture(CaptureMode.RELAXED)) {
                    stream.sleep(1000);
                    Thread.yield();
                    try (Graph graph = capture.end();
                            GraphExec exec = graph.instantiate()) {
                        exec.launch(stream);
                        Support.get(stream.completion());
                    }
                }
            }
        });
    }

    /**
     * With more waiting threads than carriers, waits that occupied theirs would stop the thread that opens the gate.
     */
    @Test
    void waitsWithALimitLeaveTheCarrier() throws Exception {
        int threads = 4 * Runtime.getRuntime().availableProcessors();
        List<Support.Running<Boolean>> waits = new ArrayList<>();
        try (Stream stream = Stream.create();
                Event event = Event.create();
                CompletionQueue queue = CompletionQueue.create(1);
                Support.Gate gate = new Support.Gate(stream)) {
            event.record(stream);
            for (int i = 0; i < threads; i++) {
                int kind = i % 4;
                waits.add(running(() -> switch (kind) {
                    case 0 -> stream.synchronize(LONG);
                    case 1 -> event.synchronize(LONG);
                    case 2 -> Event.synchronizeAll(List.of(event), LONG);
                    default -> queue.await(1, LONG) != null;
                }));
            }
            onVirtualThread(gate::open);
            for (int i = 0; i < threads; i++) {
                if (i % 4 == 3) {
                    queue.wake();
                }
            }
            while (!waits.stream().allMatch(wait -> wait.result.isDone())) {
                queue.wake(); // several wakes may count as one
                Thread.sleep(1);
            }
            for (Support.Running<Boolean> wait : waits) {
                assertTrue(wait.get());
            }
        }
    }

    /** A virtual thread has no current stream of its own; its task's context is bound to it. */
    @Test
    void tasksOfVirtualThreadsAskForTheirContext() throws Exception {
        try (Stream stream = Stream.create();
                StreamScope scope = stream.scope();
                ExecutorService executor = StreamContext.carrying(Executors.newVirtualThreadPerTaskExecutor())) {
            assertTrue(scope.isOpen());
            executor.submit(() -> {
                        assertEquals(stream, StreamContext.bound().orElseThrow().stream());
                        try (StreamContext again = StreamContext.current()) {
                            assertEquals(stream, again.stream());
                        }
                        assertEquals(Stream.defaultStream(), Stream.current());
                    })
                    .get(Support.PATIENCE_SECONDS, TimeUnit.SECONDS);
        }
        onVirtualThread(() -> assertTrue(StreamContext.bound().isEmpty()));
    }

    private static final int TASKS = 16;

    @Test
    void eachRunningTaskHasAStreamOfItsOwn() throws Exception {
        try (TaskStreams streams = TaskStreams.create(Device.of(0));
                ExecutorService executor = streams.executor(Executors.newVirtualThreadPerTaskExecutor())) {
            for (int round = 0; round < 3; round++) {
                CyclicBarrier all = new CyclicBarrier(TASKS);
                List<Future<Long>> futures = new ArrayList<>();
                for (int i = 0; i < TASKS; i++) {
                    futures.add(executor.submit(() -> {
                        all.await(Support.PATIENCE_SECONDS, TimeUnit.SECONDS);
                        assertEquals(Stream.defaultStream(), Stream.current());
                        return TaskStreams.stream().nativeHandle();
                    }));
                }
                Set<Long> found = new HashSet<>();
                for (Future<Long> future : futures) {
                    found.add(Support.get(future));
                }
                assertEquals(TASKS, found.size());
            }
            // A task ends a little after its result is there.
            assertTrue(streams.size() <= 3 * TASKS, () -> streams.size() + " streams");
        }
    }

    @Test
    void aTaskThatHandsOverAnotherOneIsBeforeIt() throws Exception {
        try (TaskStreams streams = TaskStreams.create(Device.of(0));
                ExecutorService executor = streams.executor(Executors.newVirtualThreadPerTaskExecutor())) {
            Future<Future<Boolean>> outer = executor.submit(() -> {
                Stream mine = TaskStreams.stream();
                mine.sleep(20_000_000);
                Event before = mine.recordEvent();
                return executor.submit(() -> {
                    TaskStreams.stream().synchronize();
                    return before.query();
                });
            });
            Future<Boolean> inner = Support.get(outer);
            assertTrue(Support.get(inner));
        }
    }
}
