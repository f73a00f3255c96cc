// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import static io.gpustream.Support.assertStatus;
import static org.junit.jupiter.api.Assertions.*;

import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.*;
import java.util.stream.Stream.Builder;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Graphs that are built node by node, and what they are made of. */
class GraphTest {
    private static final int BYTES = 256;
    private static final Device HOST = Device.of(Backend.HOST, 0);

    private final HostMemory memory = HostMemory.allocate(BYTES);
    private final ByteBuffer bytes = Support.zeroed(memory);
    private final Graph graph = Graph.create();

    @AfterEach
    void ends() {
        graph.close();
        memory.close();
    }

    static void run(Graph graph) {
        try (GraphExec exec = graph.instantiate();
                Stream stream = Stream.create(graph.device())) {
            exec.launch(stream);
            stream.synchronize();
        }
    }

    @Test
    void nodesAndEdges() {
        try (Event event = Event.create();
                Event unrecorded = Event.create()) {
            GraphNode fill = graph.addFill(memory.slice(0, 64), 1);
            GraphNode copy = graph.addCopy(memory.slice(64, 8), memory.slice(0, 8), fill);
            GraphNode both = graph.addEmpty(fill, copy);
            GraphNode record = graph.addRecord(event, both);
            GraphNode wait = graph.addWait(unrecorded, both);
            GraphNode host = graph.addHost(() -> {}, record, wait);
            assertEquals(List.of(fill, copy, both, record, wait, host), graph.nodes());
            Set<GraphEdge> wanted = Set.of(
                    new GraphEdge(fill, copy),
                    new GraphEdge(fill, both),
                    new GraphEdge(copy, both),
                    new GraphEdge(both, record),
                    new GraphEdge(both, wait),
                    new GraphEdge(record, host),
                    new GraphEdge(wait, host));
            assertEquals(wanted, new HashSet<>(graph.edges()));
            assertEquals(
                    List.of(
                            NodeKind.MEMSET,
                            NodeKind.MEMCPY,
                            NodeKind.EMPTY,
                            NodeKind.RECORD,
                            NodeKind.WAIT,
                            NodeKind.HOST),
                    graph.nodes().stream().map(GraphNode::kind).toList());
            NodeInfo info = fill.info();
            assertEquals(memory.address(), info.target());
            assertEquals(64, info.bytes());
            assertEquals(1, info.value());
            assertEquals(0, info.predecessorCount());
            assertEquals(2, info.successorCount());
            assertEquals(Optional.empty(), info.launch());
            assertEquals(memory.address(), copy.info().source());
            assertNotEquals(fill.nativeHandle(), copy.nativeHandle());
            assertEquals(graph, fill.graph());
            assertEquals(new GraphInfo(Device.current(), false, false, 6, 7), graph.info());
            assertTrue(graph.toString().contains("6 nodes"), graph::toString);
            assertNotEquals(0, graph.nativeHandle());
            run(graph);
            assertTrue(event.query());
            assertEquals(1, bytes.get(71));
        }
    }

    @Test
    void uploadsAndTheCurrentStream() {
        graph.addFill(memory.slice(0, 64), 1);
        try (GraphExec exec = graph.instantiate(InstantiateFlag.NODE_PRIORITY);
                Stream stream = Stream.create();
                StreamScope scope = stream.scope()) {
            exec.upload(stream);
            assertEquals(0, bytes.get(7));
            exec.launch();
            stream.synchronize();
            assertEquals(1, bytes.get(7));
            assertTrue(scope.isOpen());
        }
    }

    /** More nodes than fit into the memory that calls share. */
    @Test
    void manyNodes() {
        List<GraphNode> nodes = new ArrayList<>();
        for (int i = 0; i < BYTES - 1; i++) {
            nodes.add(graph.addFill(memory.slice(i, 1), i));
        }
        GraphNode last = graph.addCopy(
                memory.slice(BYTES - 1, 1), memory.slice(BYTES - 2, 1), nodes.toArray(new GraphNode[0]));
        assertEquals(BYTES, graph.nodes().size());
        assertEquals(BYTES - 1, graph.edges().size());
        assertEquals(BYTES - 1, last.info().predecessorCount());
        run(graph);
        for (int i = 0; i < BYTES - 1; i++) {
            assertEquals((byte) i, bytes.get(i));
        }
        assertEquals((byte) (BYTES - 2), bytes.get(BYTES - 1));
    }

    @Test
    void copiesOfBuffers() {
        ByteBuffer to = ByteBuffer.allocateDirect(16);
        ByteBuffer from = ByteBuffer.allocateDirect(16);
        from.put(3, (byte) 7).position(2);
        GraphNode first = graph.addCopy(memory.slice(0, 14), from);
        graph.addCopy(to.position(4), memory.slice(0, 12), first);
        run(graph);
        assertEquals(7, to.get(5));
        assertEquals(2, from.position());
        assertThrows(IllegalArgumentException.class, () -> graph.addCopy(to.asReadOnlyBuffer(), memory.slice(0, 12)));
        assertThrows(IllegalArgumentException.class, () -> graph.addCopy(memory.slice(0, 3), memory.slice(4, 4)));
    }

    @Test
    void theTextForGraphviz(@TempDir Path folder) throws Exception {
        Builder<GraphNode> nodes = java.util.stream.Stream.builder();
        for (int i = 0; i < 100; i++) {
            nodes.add(graph.addFill(memory.slice(i, 1), i));
        }
        graph.addEmpty(nodes.build().toArray(GraphNode[]::new));
        String text = graph.dot();
        assertTrue(text.startsWith("digraph") && text.contains("->") && text.endsWith("}\n"), text);
        assertTrue(text.length() > 2048, "it came in more than one piece");
        graph.writeDot(folder.resolve("graph.dot"));
        assertEquals(text, Files.readString(folder.resolve("graph.dot")));
    }

    @Test
    void rawGraphs() {
        graph.addFill(memory.slice(0, 8), 6);
        long raw = graph.nativeHandle();
        try (Graph wrap = Graph.fromNative(raw, graph.device())) {
            assertEquals(raw, wrap.nativeHandle());
            assertEquals(1, wrap.nodes().size());
            run(wrap);
            assertEquals(6, bytes.get(0));
            wrap.close();
            assertEquals(raw, graph.nativeHandle(), "it is not the wrap's");
        }
    }

    @Test
    void wrongUse() {
        GraphNode fill = graph.addFill(memory.slice(0, 8), 6);
        assertStatus(Status.INVALID_ARGUMENT, () -> graph.addCopy(0, memory.address(), 8));
        assertStatus(Status.INVALID_ARGUMENT, () -> graph.addNativeHost(0, 0));
        assertStatus(Status.INVALID_ARGUMENT, () -> graph.addGraph(graph));
        assertStatus(Status.INVALID_ARGUMENT, () -> graph.addCondition(ConditionKind.IF, -1, 0));
        Support.assertNull("after[1]", () -> graph.addEmpty(fill, null));
        assertEquals(1, graph.nodes().size(), "refused calls add nothing");
        assertStatus(Status.INVALID_DEVICE, () -> Graph.create(Device.of(77)));
    }
}
