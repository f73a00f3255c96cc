// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import static io.gpustream.Support.assertStatus;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Captures that Java begins. */
class GraphCaptureTest {
    private final HostMemory memory = HostMemory.allocate(64);
    private final ByteBuffer bytes = memory.asByteBuffer().order(ByteOrder.nativeOrder());
    private final Stream stream = Stream.create();

    GraphCaptureTest() {
        for (int i = 0; i < 64; i++) {
            bytes.put(i, (byte) 0);
        }
    }

    @AfterEach
    void ends() {
        assertFalse(stream.isCapturing());
        stream.close();
        memory.close();
    }

    @Test
    void aForkAndItsJoin() {
        try (Stream side = Stream.create();
                Event event = Event.create()) {
            Graph graph;
            try (Capture capture = stream.capture()) {
                assertTrue(stream.isCapturing() && capture.isOpen());
                stream.fill(memory.slice(0, 8), 1);
                side.waitStream(stream);
                side.copy(memory.slice(8, 8), memory.slice(0, 8));
                event.record(side);
                stream.waitEvent(event);
                stream.copy(memory.slice(16, 8), memory.slice(8, 8));
                graph = capture.end();
                assertFalse(capture.isOpen());
                assertThrows(IllegalStateException.class, capture::end);
            }
            assertEquals(3, graph.nodes().size());
            assertEquals(0, bytes.get(0), "nothing has run");
            try (GraphExec exec = graph.instantiate()) {
                graph.close();
                for (int i = 0; i < 3; i++) {
                    bytes.put(16, (byte) 0);
                    exec.launch(stream);
                    stream.synchronize();
                    assertEquals(1, bytes.get(16));
                }
            }
        }
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
            // As long as the word is not 0, which the body makes it.
            GraphCondition loop = graph.addCondition(ConditionKind.WHILE, 1, 1, branch.node());
            try (Capture capture = stream.captureTo(loop.body(), CaptureMode.RELAXED)) {
                stream.copy(memory.slice(24, 8), memory.slice(16, 8));
                assertSame(loop.body(), capture.end());
            }
            GraphNode last = loop.body().nodes().get(0);
            loop.body().setCondition(loop, memory.slice(4, 4), last);
            GraphCondition choice = graph.addCondition(ConditionKind.SWITCH, 3, 2, loop.node());
            choice.bodies().get(2).addFill(memory.slice(32, 8), 7);
            assertTrue(graph.info().hasConditions() && loop.body().info().isBody());
            assertEquals(Optional.of(ConditionKind.SWITCH), choice.node().info().condition());
            assertEquals(3, choice.node().info().bodyCount());
            try (GraphExec exec = graph.instantiate()) {
                exec.launch(stream);
                stream.synchronize();
                assertEquals(5, bytes.get(16));
                assertEquals(5, bytes.get(24));
                assertEquals(7, bytes.get(32));
                bytes.putInt(0, 0);
                exec.launch(stream);
                stream.synchronize();
                assertEquals(6, bytes.get(16));
            }
            assertStatus(Status.NOT_PERMITTED, () -> loop.body().instantiate());
            assertStatus(Status.NOT_PERMITTED, () -> loop.body().retain());
            assertStatus(Status.NOT_SUPPORTED, () -> loop.body().addHost(() -> {}));
            assertStatus(Status.NOT_SUPPORTED, graph::copy);
            assertStatus(Status.INVALID_ARGUMENT, () -> graph.setCondition(branch, memory.slice(1, 4)));
            assertThrows(IllegalArgumentException.class, () -> graph.setCondition(branch, memory.slice(0, 3)));
            loop.body().close();
            assertTrue(loop.body().isOpen(), "a body is borrowed");
            assertEquals(2, loop.body().nodes().size());
            graph.close();
            assertStatus(Status.INVALID_HANDLE, () -> loop.body().nodes());
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
}
