// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import static io.gpustream.Support.assertStatus;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.gpustream.internal.Callbacks;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** Functions that streams, or other functions, wait for. */
class HostFunctionTest {
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

    private final Stream stream = Stream.create();

    @AfterEach
    void ends() {
        stream.close();
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
}
