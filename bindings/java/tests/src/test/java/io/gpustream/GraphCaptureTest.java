// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import static io.gpustream.Support.assertStatus;
import static org.junit.jupiter.api.Assertions.*;

import io.gpustream.internal.Callbacks;
import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Captures that Java begins. */
class GraphCaptureTest {
    private final HostMemory memory = HostMemory.allocate(64);
    private final ByteBuffer bytes = Support.zeroed(memory);
    private final Stream stream = Stream.create();

    @AfterEach
    void ends() {
        assertFalse(stream.isCapturing());
        stream.close();
        memory.close();
    }

    @Test
    void whatACaptureTellsOfItself() {
        CaptureInfo none = stream.captureInfo();
        assertEquals(new CaptureInfo(CaptureState.NONE, 0, Optional.empty(), 0, Optional.empty()), none);
        try (Capture capture = stream.capture(CaptureMode.THREAD_LOCAL)) {
            CaptureInfo info = stream.captureInfo();
            assertEquals(CaptureState.ACTIVE, info.state());
            assertEquals(Optional.of(CaptureMode.THREAD_LOCAL), info.mode());
            assertNotEquals(0, info.id());
            assertNotEquals(0, info.thread());
            assertEquals(0, capture.graph().info().nodeCount());
            assertEquals("Capture[open]", capture.toString());
            capture.close();
            assertEquals("Capture[over]", capture.toString());
        }
    }

    /** Nodes that are added by hand enter the capture. */
    @Test
    void nodesOfACapture() {
        try (Capture capture = stream.capture()) {
            stream.fill(memory.slice(0, 8), 3);
            List<GraphNode> before = stream.captureNodes(capture);
            assertEquals(1, before.size());
            GraphNode added = capture.graph().addCopy(memory.slice(8, 8), memory.slice(0, 8), before.get(0));
            stream.setCaptureNodes(added);
            assertEquals(List.of(added), stream.captureNodes(capture));
            GraphNode beside = capture.graph().addFill(memory.slice(32, 8), 4);
            stream.addCaptureNodes(beside);
            stream.copy(memory.slice(16, 8), memory.slice(8, 8));
            try (Graph graph = capture.end();
                    Graph other = Graph.create()) {
                assertEquals(4, graph.nodes().size());
                assertEquals(2, graph.nodes().get(3).info().predecessorCount());
                GraphTest.run(graph);
                assertEquals(3, bytes.get(16));
                assertEquals(graph, added.graph(), "the graph is the one that was captured");
                assertStatus(Status.NOT_PERMITTED, () -> stream.captureNodes(capture));
                assertStatus(Status.NOT_PERMITTED, () -> stream.setCaptureNodes(added));
                assertStatus(Status.INVALID_ARGUMENT, () -> other.addEmpty(added));
            }
        }
    }

    @Test
    void intoAGraphThatExists() {
        try (Graph graph = Graph.create()) {
            GraphNode fill = graph.addFill(memory.slice(0, 8), 2);
            try (Capture capture = stream.captureTo(graph, CaptureMode.RELAXED, fill)) {
                assertSame(graph, capture.graph());
                stream.copy(memory.slice(8, 8), memory.slice(0, 8));
                assertStatus(Status.CAPTURING, graph::instantiate);
                assertSame(graph, capture.end());
            }
            assertEquals(List.of(fill), graph.edges().stream().map(GraphEdge::from).toList());
            GraphTest.run(graph);
            assertEquals(2, bytes.get(8));
            try (Capture aborted = stream.captureTo(graph, CaptureMode.GLOBAL)) {
                assertTrue(aborted.isOpen());
                stream.fill(memory.slice(0, 8), 9);
            }
            assertEquals(3, graph.nodes().size(), "the nodes captured so far stay");
        }
    }

    @Test
    void conditions() {
        bytes.putInt(0, 1).putInt(4, 0);
        try (Graph graph = Graph.create()) {
            GraphCondition branch = graph.addCondition(ConditionKind.IF, 2, 0);
            GraphNode set = graph.setCondition(branch, memory.slice(0, 4));
            assertEquals(List.of(new GraphEdge(set, branch.node())), graph.edges());
            branch.body().addFill(memory.slice(16, 8), 5);
            branch.bodies().get(1).addFill(memory.slice(16, 8), 6);
            GraphCondition choice = graph.addCondition(ConditionKind.SWITCH, 3, 2, branch.node());
            Graph body = choice.bodies().get(2);
            try (Capture capture = stream.captureTo(body, CaptureMode.RELAXED)) {
                stream.copy(memory.slice(24, 8), memory.slice(16, 8));
                assertSame(body, capture.end());
            }
            assertTrue(graph.info().hasConditions() && body.info().isBody());
            assertEquals(Optional.of(ConditionKind.SWITCH), choice.node().info().condition());
            assertEquals(3, choice.node().info().bodyCount());
            for (int condition : new int[] {1, 0}) {
                bytes.putInt(0, condition);
                GraphTest.run(graph);
                assertEquals(condition == 1 ? 5 : 6, bytes.get(24));
            }
            assertThrows(IllegalArgumentException.class, () -> graph.setCondition(branch, memory.slice(0, 3)));
            body.close();
            assertTrue(body.isOpen(), "a body is borrowed");
            graph.close();
            assertStatus(Status.INVALID_HANDLE, body::nodes);
        }
    }

    @Test
    void anUnjoinedForkEndsTheCapture() {
        try (Stream side = Stream.create();
                Capture capture = stream.capture()) {
            stream.fill(memory.slice(0, 8), 1);
            side.waitStream(stream);
            side.fill(memory.slice(8, 8), 1);
            assertStatus(Status.CAPTURING, capture::end);
            assertFalse(capture.isOpen(), "it is over");
            assertFalse(side.isCapturing());
            assertThrows(IllegalStateException.class, capture::end);
        }
    }

    @Test
    void anotherThreadMayAbortButNotEnd() {
        Capture capture = stream.capture(CaptureMode.THREAD_LOCAL);
        Support.onThread(() -> {
            assertStatus(Status.CAPTURING, capture::end);
            assertTrue(capture.isOpen(), "it goes on");
            capture.close();
        });
        assertFalse(stream.isCapturing());
        Capture relaxed = stream.capture(CaptureMode.RELAXED);
        Support.onThread(() -> relaxed.end().close());
        assertFalse(relaxed.isOpen());
    }

    @Test
    void endedCaptures() {
        assertStatus(Status.NOT_SUPPORTED, () -> Stream.defaultStream().capture());
        Capture capture = stream.capture();
        assertStatus(Status.CAPTURING, stream::capture);
        assertStatus(Status.NOT_PERMITTED, () -> capture.graph().retain());
        Graph borrowed = capture.graph();
        capture.close();
        capture.close();
        assertStatus(Status.INVALID_HANDLE, borrowed::info);
        try (Stream again = Stream.create()) {
            Capture own = again.capture();
            again.close();
            assertThrows(IllegalStateException.class, again::capture);
            own.end().close(); // it has a reference of its own
        }
    }

    private static final Device CUDA = Device.of(Backend.CUDA, 0);

    @Test
    void whatCannotBeCapturedIsRefused() {
        try (Stream stream = Stream.create(CUDA);
                Event event = Event.create()) {
            long handle = stream.nativeHandle();
            event.record(stream);
            event.synchronize();
            FakeDriver.beginCapture(handle);
            assertTrue(stream.isCapturing());
            Support.eventually(() -> Callbacks.waiting() == 0); // releases of earlier tests are on their way
            assertStatus(Status.CAPTURING, stream::query);
            assertStatus(Status.CAPTURING, stream::synchronize);
            assertStatus(Status.CAPTURING, stream::completion);
            assertStatus(Status.CAPTURING, () -> stream.addDoneCallback(() -> {
                throw new AssertionError("run though it was refused");
            }));
            assertEquals(0, Callbacks.waiting());
            event.record(stream);
            stream.waitEvent(event);
            FakeDriver.endCapture(handle);
            assertFalse(stream.isCapturing());
            assertTrue(stream.query());
        }
        assertEquals("", FakeDriver.violations());
    }

    /** A graph may run at any time, so the buffer stays at least as long as the stream's object. */
    @Test
    void aCapturedCopyKeepsItsBufferWithTheStream() {
        try (Stream stream = Stream.create(CUDA);
                DeviceMemory memory = stream.allocate(16)) {
            long handle = stream.nativeHandle();
            stream.synchronize();
            Support.eventually(() -> Callbacks.waiting() == 0);
            FakeDriver.beginCapture(handle);
            WeakReference<ByteBuffer> buffer = copy(stream, memory);
            FakeDriver.endCapture(handle);
            assertEquals(0, Callbacks.waiting());
            Support.collect();
            assertFalse(buffer.refersTo(null));
            WeakReference<ByteBuffer> plain = copy(stream, memory);
            stream.synchronize();
            Support.assertCollected(plain);
            assertFalse(buffer.refersTo(null));
        }
    }

    private static WeakReference<ByteBuffer> copy(Stream stream, DeviceMemory memory) {
        ByteBuffer buffer = ByteBuffer.allocateDirect(16);
        stream.copy(memory, buffer);
        return new WeakReference<>(buffer);
    }
}
