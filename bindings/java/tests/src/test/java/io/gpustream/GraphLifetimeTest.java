// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import static org.junit.jupiter.api.Assertions.*;

import io.gpustream.internal.Callbacks;
import io.gpustream.internal.Native;
import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What graphs keep reachable, and until when. */
class GraphLifetimeTest {
    private final HostMemory memory = HostMemory.allocate(16);
    private final Stream stream = Stream.create();

    @BeforeEach
    void begins() {
        // Releases of earlier tests are on their way.
        Support.eventually(() -> Callbacks.waiting() == 0);
    }

    @AfterEach
    void ends() {
        stream.close();
        memory.close();
        Support.eventually(() -> Callbacks.waiting() == 0);
    }

    private WeakReference<ByteBuffer> addBuffer(Graph graph) {
        ByteBuffer buffer = ByteBuffer.allocateDirect(16);
        graph.addCopy(memory, buffer);
        return new WeakReference<>(buffer);
    }

    @Test
    void buffersLiveAsLongAsTheGraphAndItsExecutables() {
        Graph graph = Graph.create();
        WeakReference<ByteBuffer> buffer = addBuffer(graph);
        GraphExec exec = graph.instantiate();
        graph.close();
        Support.collect();
        assertFalse(buffer.refersTo(null));
        exec.launch(stream);
        stream.synchronize();
        exec.close();
        Support.assertCollected(buffer);
    }

    /** The driver's launches under way keep what was closed. */
    @Test
    void launchesUnderWayKeepWhatTheyUse() {
        AtomicInteger released = new AtomicInteger();
        AtomicInteger calls = new AtomicInteger();
        try (Support.Gate gate = new Support.Gate(stream);
                Graph graph = Graph.create()) {
            graph.addHost(calls::incrementAndGet);
            graph.onRelease(released::incrementAndGet);
            GraphExec exec = graph.instantiate();
            exec.launch(stream);
            exec.close();
            graph.close();
            Support.collect();
            assertEquals(0, released.get());
            gate.open();
            stream.synchronize();
        }
        Support.eventually(() -> calls.get() == 1 && released.get() == 1);
    }

    private WeakReference<ByteBuffer> captureBuffer(Capture capture) {
        assertTrue(capture.isOpen());
        ByteBuffer buffer = ByteBuffer.allocateDirect(16);
        stream.copy(memory, buffer);
        return new WeakReference<>(buffer);
    }

    @Test
    void capturedBuffersAreTheGraphsNotTheStreams() {
        WeakReference<ByteBuffer> buffer;
        Graph graph;
        try (Capture capture = stream.capture()) {
            buffer = captureBuffer(capture);
            graph = capture.end();
        }
        Support.collect();
        assertFalse(buffer.refersTo(null));
        GraphTest.run(graph);
        graph.close();
        Support.assertCollected(buffer);
        assertTrue(stream.isOpen());
    }

    @Test
    void anAbortedCaptureKeepsNothing() {
        WeakReference<ByteBuffer> buffer;
        try (Capture capture = stream.capture()) {
            buffer = captureBuffer(capture);
            stream.launchHost(() -> {
                throw new AssertionError("it was aborted");
            });
        }
        Support.assertCollected(buffer);
    }

    @Test
    void anUpdateReplacesWhatIsKept() {
        Graph first = Graph.create();
        Graph second = Graph.create();
        WeakReference<ByteBuffer> old = addBuffer(first);
        WeakReference<ByteBuffer> next = addBuffer(second);
        try (GraphExec exec = first.instantiate()) {
            assertTrue(exec.update(second).isUpdated());
            first.close();
            second.close();
            Support.assertCollected(old);
            assertFalse(next.refersTo(null));
            exec.launch(stream);
            stream.synchronize();
        }
        Support.assertCollected(next);
    }

    @Test
    void whatAChangeBringsInIsKeptByTheExecutable() {
        Graph graph = Graph.create();
        GraphNode copy = graph.addCopy(memory, ByteBuffer.allocateDirect(16));
        GraphNode host = graph.addHost(() -> {}, copy);
        AtomicInteger calls = new AtomicInteger();
        GraphExec exec = graph.instantiate();
        WeakReference<ByteBuffer> buffer = change(exec, copy);
        exec.setHost(host, calls::incrementAndGet);
        graph.close();
        Support.collect();
        assertFalse(buffer.refersTo(null));
        exec.launch(stream);
        exec.close();
        stream.synchronize();
        assertEquals(1, calls.get());
        Support.assertCollected(buffer);
    }

    private WeakReference<ByteBuffer> change(GraphExec exec, GraphNode copy) {
        ByteBuffer buffer = ByteBuffer.allocateDirect(16);
        exec.setCopy(copy, memory, buffer);
        return new WeakReference<>(buffer);
    }

    @Test
    void childGraphsAndCopiesKeep() {
        Graph child = Graph.create();
        WeakReference<ByteBuffer> buffer = addBuffer(child);
        Graph parent = Graph.create();
        assertEquals(NodeKind.GRAPH, parent.addGraph(child).kind());
        child.close();
        Graph twin = parent.copy();
        parent.close();
        Support.collect();
        assertFalse(buffer.refersTo(null));
        GraphTest.run(twin);
        twin.close();
        Support.assertCollected(buffer);
    }

    @Test
    void bodiesKeepForTheirGraph() {
        Graph graph = Graph.create();
        WeakReference<Object> kept = bodyKeeps(graph);
        Support.collect();
        assertFalse(kept.refersTo(null));
        graph.close();
        Support.assertCollected(kept);
    }

    private WeakReference<Object> bodyKeeps(Graph graph) {
        Object what = new Object();
        AtomicInteger released = new AtomicInteger();
        Graph body = graph.addCondition(ConditionKind.IF, 1, 1).body();
        body.addFill(memory, 1);
        body.keep(what);
        body.onRelease(released::incrementAndGet);
        return new WeakReference<>(what);
    }

    @Test
    void aReleaseRunsOnceAfterAllOfThem() {
        AtomicInteger released = new AtomicInteger();
        Graph graph = Graph.create();
        graph.addFill(memory, 1);
        graph.onRelease(released::incrementAndGet);
        Graph second = graph.retain();
        GraphExec exec = graph.instantiate();
        GraphExec other = exec.retain();
        graph.close();
        second.close();
        exec.launch(stream);
        stream.synchronize();
        exec.close();
        assertEquals(0, released.get());
        other.close();
        Support.eventually(() -> released.get() == 1 && Callbacks.waiting() == 0);
        assertEquals(1, released.get());
    }

    @Test
    void aForgottenCaptureIsAborted() {
        assertTrue(stream.capture(CaptureMode.RELAXED).isOpen());
        Support.onceCollected(() -> !stream.isCapturing());
    }

    /** The object of an earlier capture leaves a later one alone. */
    @Test
    void closingAnEarlierCaptureDoesNotAbortALaterOne() {
        try (Capture first = stream.capture()) {
            Native.CALLS.streamAbortCapture(stream.handle.use());
            try (Capture second = stream.capture()) {
                first.close();
                assertTrue(stream.isCapturing());
                second.end().close();
            }
        }
    }

    @Test
    void memoryStaysFlat() throws Exception {
        int rounds = Support.FULL ? 200_000 : 3_000;
        AtomicInteger calls = new AtomicInteger();
        for (int i = 0; i < rounds; i++) {
            try (Capture capture = stream.capture(CaptureMode.THREAD_LOCAL)) {
                stream.fill(memory, i & 127);
                stream.launchHost(calls::incrementAndGet);
                if (i % 4 == 0) {
                    continue;
                }
                try (Graph graph = capture.end();
                        GraphExec exec = graph.instantiate()) {
                    exec.launch(stream);
                }
            }
        }
        Support.eventually(() -> Callbacks.waiting() == 0 && calls.get() == rounds - rounds / 4);
    }
}
