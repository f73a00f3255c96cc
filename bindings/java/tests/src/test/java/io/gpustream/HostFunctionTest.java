// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import static io.gpustream.Support.assertStatus;
import static org.junit.jupiter.api.Assertions.*;

import io.gpustream.internal.Callbacks;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** Functions that streams, or other functions, wait for. */
class HostFunctionTest {
    private final HostMemory memory = HostMemory.allocate(64);
    private final ByteBuffer bytes = Support.zeroed(memory);
    private final Stream stream = Stream.create();

    /** Releases of earlier tests are on their way. */
    @BeforeEach
    void begins() {
        Support.eventually(() -> Callbacks.waiting() == 0);
    }

    @AfterEach
    void ends() {
        stream.close();
        memory.close();
    }

    /** On the threads that other functions, or streams, wait for. */
    @Test
    void whatWaitsIsRefused() throws Exception {
        try (Stream stream = Stream.create();
                Event event = Event.create();
                CompletionQueue queue = CompletionQueue.create(8);
                Timeline timeline = Timeline.create()) {
            event.record(stream);
            List<String> threads = Collections.synchronizedList(new ArrayList<>());
            CompletableFuture<Void> all = new CompletableFuture<>();
            List<Executable> calls = List.of(
                    stream::synchronize,
                    event::synchronize,
                    () -> stream.device().synchronize(),
                    () -> stream.synchronize(Duration.ofSeconds(1)),
                    () -> queue.await(1, Duration.ofSeconds(1)),
                    () -> timeline.synchronize(1, Duration.ofSeconds(1)),
                    Stream::create);
            Runnable function = () -> {
                try {
                    for (Executable call : calls) {
                        assertStatus(Status.NOT_PERMITTED, call);
                    }
                    threads.add(Thread.currentThread().getName());
                    if (threads.size() == 4) {
                        all.complete(null);
                    }
                } catch (Throwable thrown) {
                    all.completeExceptionally(thrown);
                }
            };
            stream.launchHost(function);
            stream.addDoneCallback(function);
            stream.addDoneCallback(function, Runnable::run);
            stream.defer(function);
            Library.trim();
            Support.get(all);
            assertEquals(
                    List.of(
                            "gpustream-callbacks",
                            "gpustream-callbacks",
                            "gpustream-host-functions",
                            "gpustream-notes"),
                    threads.stream().sorted().toList());
        }
    }

    @Test
    void aFunctionOnAnExecutorMayWaitForTheDevice() throws Exception {
        CompletableFuture<Void> ran = new CompletableFuture<>();
        try (Stream stream = Stream.create();
                Stream other = Stream.create()) {
            stream.addDoneCallback(
                    () -> {
                        try {
                            other.sleep(1000);
                            other.synchronize();
                            ran.complete(null);
                        } catch (Throwable thrown) {
                            ran.completeExceptionally(thrown);
                        }
                    },
                    task -> new Thread(task).start());
            Support.get(ran);
        }
    }

    @Test
    void deferredFunctionsRunOnce() {
        Support.eventually(() -> Callbacks.waiting() == 0);
        AtomicInteger released = new AtomicInteger();
        try (Support.Gate gate = new Support.Gate(stream)) {
            for (int i = 0; i < 100; i++) {
                stream.defer(released::incrementAndGet);
            }
            Library.trim();
            assertEquals(0, released.get(), "the work is not done");
            gate.open();
        }
        stream.synchronize();
        Library.trim();
        Support.eventually(() -> released.get() == 100 && Callbacks.waiting() == 0);
    }

    @Test
    void aDeferredFunctionInACaptureIsTheGraphs() {
        AtomicInteger released = new AtomicInteger();
        Graph graph;
        try (Capture capture = stream.capture()) {
            stream.defer(released::incrementAndGet);
            graph = capture.end();
        }
        GraphTest.run(graph);
        Library.trim();
        assertEquals(0, released.get());
        graph.close();
        Support.eventually(() -> released.get() == 1);
    }

    /** A function that holds the work behind it, in a capture and without one. */
    @Test
    void aFunctionThatTheStreamWaitsFor() throws Exception {
        CountDownLatch entered = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        Runnable function = () -> {
            entered.countDown();
            Support.await(goOn);
            bytes.put(0, (byte) 1);
        };
        stream.launchHost(function);
        stream.copy(memory.slice(8, 8), memory.slice(0, 8));
        Support.await(entered);
        assertFalse(stream.query());
        goOn.countDown();
        stream.synchronize();
        assertEquals(1, bytes.get(8));
        assertEquals(0, Callbacks.waiting());

        AtomicInteger calls = new AtomicInteger();
        Graph graph;
        try (Capture capture = stream.capture()) {
            stream.launchHost(() -> bytes.put(0, (byte) (10 + calls.incrementAndGet())));
            stream.copy(memory.slice(8, 8), memory.slice(0, 8));
            graph = capture.end();
        }
        try (GraphExec exec = graph.instantiate()) {
            graph.close();
            for (int i = 1; i <= 3; i++) {
                exec.launch(stream);
                stream.synchronize();
                assertEquals(10 + i, bytes.get(8));
            }
        }
        Support.eventually(() -> Callbacks.waiting() == 0);
    }

    @Test
    void whatAHostFunctionThrowsIsLogged() {
        try (TestLog log = new TestLog();
                Graph graph = Graph.create()) {
            GraphNode first = graph.addHost(() -> {
                throw new IllegalStateException("thrown on purpose");
            });
            graph.addFill(memory.slice(0, 8), 8, first);
            GraphTest.run(graph);
            assertEquals(8, bytes.get(0), "the work goes on");
            assertEquals("thrown on purpose", log.records.get(0).getThrown().getMessage());
        }
    }

    /** Functions of branches that do not depend on each other run at the same time. */
    @Test
    void branchesDoNotWaitForEachOther() {
        CountDownLatch both = new CountDownLatch(2);
        Runnable function = () -> {
            both.countDown();
            Support.await(both);
        };
        try (Graph graph = Graph.create(Device.of(Backend.HOST, 0))) {
            graph.addHost(function);
            graph.addHost(function);
            GraphTest.run(graph);
        }
        assertEquals(0, both.getCount());
    }

    @Test
    void otherCodesCapturesKeepNoFunction() {
        try (Stream captured = Stream.create(Device.of(Backend.CUDA, 0))) {
            long handle = captured.nativeHandle();
            FakeDriver.beginCapture(handle);
            assertStatus(Status.CAPTURING, () -> captured.launchHost(() -> {}));
            assertTrue(captured.isCapturing());
            FakeDriver.endCapture(handle);
        }
        assertEquals(0, Callbacks.waiting());
    }
}
