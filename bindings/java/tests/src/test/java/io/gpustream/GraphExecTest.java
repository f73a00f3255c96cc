// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import static io.gpustream.Support.assertStatus;
import static org.junit.jupiter.api.Assertions.*;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Changes of executables, and launches. */
class GraphExecTest {
    private static final Device HOST = Device.of(Backend.HOST, 0);

    private final HostMemory memory = HostMemory.allocate(64);
    private final ByteBuffer bytes = Support.zeroed(memory);
    private final Graph graph = Graph.create();
    private final Stream stream = Stream.create();

    @AfterEach
    void ends() {
        stream.close();
        graph.close();
        memory.close();
    }

    private void run(GraphExec exec) {
        exec.launch(stream);
        stream.synchronize();
    }

    @Test
    void anUpdateTakesOverParameters() {
        graph.addFill(memory.slice(0, 8), 1);
        try (GraphExec exec = graph.instantiate();
                Graph other = Graph.create();
                Graph larger = Graph.create();
                Graph different = Graph.create()) {
            other.addFill(memory.slice(0, 8), 2);
            UpdateResult updated = exec.update(other);
            assertEquals(new UpdateResult(UpdateReason.OK, Optional.empty()), updated);
            assertTrue(updated.isUpdated());
            run(exec);
            assertEquals(2, bytes.get(0));
            larger.addFill(memory.slice(0, 8), 3);
            larger.addEmpty();
            UpdateResult refused = exec.update(larger);
            assertFalse(refused.isUpdated());
            assertEquals(UpdateReason.TOPOLOGY, refused.reason());
            run(exec);
            assertEquals(2, bytes.get(0), "it is unchanged");
            GraphNode node = different.addCopy(memory.slice(0, 8), memory.slice(8, 8));
            UpdateResult named = exec.update(different);
            assertNotEquals(UpdateReason.OK, named.reason());
            named.node().ifPresent(found -> assertEquals(node, found));
            assertTrue(named.node().isPresent() || named.reason() == UpdateReason.TOPOLOGY, named::toString);
        }
    }

    @Test
    void changesOfNodes() {
        GraphNode fill = graph.addFill(memory.slice(0, 8), 1);
        GraphNode copy = graph.addCopy(memory.slice(8, 8), memory.slice(0, 8), fill);
        try (GraphExec exec = graph.instantiate()) {
            exec.setFill(fill, memory.slice(16, 8), 5);
            exec.setCopy(copy, memory.slice(24, 8), memory.slice(16, 8));
            run(exec);
            assertEquals(0, bytes.get(0));
            assertEquals(5, bytes.get(31));
            exec.setCopy(copy, memory.address() + 32, memory.address() + 16, 8);
            exec.enable(fill, false);
            bytes.put(16, (byte) 9);
            run(exec);
            assertEquals(9, bytes.get(32), "the fill is off");
            exec.enable(fill, true);
            run(exec);
            assertEquals(5, bytes.get(32));
            assertEquals(1, fill.info().value(), "the graph is as it was");
            ByteBuffer buffer = ByteBuffer.allocateDirect(8);
            exec.setCopy(copy, buffer, memory.slice(16, 8));
            run(exec);
            assertEquals(5, buffer.get(7));
            assertThrows(
                    IllegalArgumentException.class,
                    () -> exec.setCopy(copy, buffer.asReadOnlyBuffer(), memory.slice(16, 8)));
            buffer.put(0, (byte) 8);
            exec.setCopy(copy, memory.slice(40, 8), buffer);
            run(exec);
            assertEquals(8, bytes.get(40));
        }
    }

    @Test
    void changesOfEvents() {
        try (Event first = Event.create();
                Event second = Event.create();
                Event third = Event.create();
                Stream other = Stream.create()) {
            GraphNode record = graph.addRecord(first);
            GraphNode wait = graph.addWait(first);
            try (GraphExec exec = graph.instantiate();
                    Support.Gate gate = new Support.Gate(other)) {
                third.record(other);
                exec.setRecord(record, second);
                exec.setWait(wait, third);
                exec.launch(stream);
                assertFalse(stream.query(), "it waits for the third event");
                gate.open();
                stream.synchronize();
                assertTrue(second.query());
                assertNotEquals(0, second.nativeHandle());
            }
        }
    }

    @Test
    void changesOfFunctions() {
        List<String> calls = new ArrayList<>();
        GraphNode host = graph.addHost(() -> calls.add("first"));
        try (GraphExec exec = graph.instantiate()) {
            run(exec);
            exec.setHost(host, () -> calls.add("second"));
            run(exec);
        }
        assertEquals(List.of("first", "second"), calls);
    }

    @Test
    void kernels() {
        try (KernelModule module = KernelModule.load(HOST, Support.PARITY_LIBRARY);
                Graph on = Graph.create(HOST);
                Stream onHost = Stream.create(HOST)) {
            Kernel kernel = module.kernel("parity_scale");
            GraphNode node = on.addKernel(kernel, LaunchConfig.of(2, 4), List.of(memory, 5));
            assertEquals(Optional.of(LaunchConfig.of(2, 4)), node.info().launch());
            assertEquals(NodeKind.KERNEL, node.kind());
            try (GraphExec exec = on.instantiate()) {
                exec.launch(onHost);
                onHost.synchronize();
                assertEquals(35, bytes.order(ByteOrder.nativeOrder()).getInt(28));
                exec.setKernel(node, kernel, LaunchConfig.of(2, 4), memory, 7);
                module.close(); // it stays loaded
                System.gc();
                exec.launch(onHost);
                onHost.synchronize();
                assertEquals(49, bytes.getInt(28));
            }
        }
    }

    @Test
    void itOutlivesItsGraph() {
        GraphNode fill = graph.addFill(memory.slice(0, 8), 1);
        try (GraphExec exec = graph.instantiate(InstantiateFlag.AUTO_FREE)) {
            assertStatus(Status.INVALID_ARGUMENT, () -> exec.setHost(fill, () -> {}));
            assertNotEquals(0, exec.nativeHandle());
            graph.close();
            assertStatus(Status.INVALID_HANDLE, () -> exec.setFill(fill, memory, 1));
            run(exec);
            assertEquals(1, bytes.get(0));
        }
    }
}
