// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.gpustream.internal.Callbacks;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Functions that run some time after the work. */
class DeferTest {
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
        try (TestLog log = new TestLog()) {
            stream.defer(() -> {
                throw new IllegalStateException("deferred on purpose");
            });
            Library.trim();
            Support.eventually(() -> log.records.size() == 1);
        }
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
