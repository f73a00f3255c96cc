// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import static io.gpustream.Support.assertStatus;
import static org.junit.jupiter.api.Assertions.*;

import io.gpustream.internal.Callbacks;
import java.nio.ByteBuffer;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Functions of Java that are part of the work, in graphs and streams. */
class GraphFunctionTest {
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
