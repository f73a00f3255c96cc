// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import io.gpustream.internal.Native;
import java.lang.ref.Reference;
import java.util.Objects;

/**
 * A node of a graph: a value, which ends with its graph. Any thread may call any method; none waits for work. A node of
 * a closed graph is refused as the graph is.
 */
public final class GraphNode {
    private final Graph graph;
    final long number;

    GraphNode(Graph graph, long number) {
        this.graph = graph;
        this.number = number;
    }

    static long numberOf(GraphNode node) {
        return Objects.requireNonNull(node, "node").number;
    }

    /** {@return the graph, or body, that it belongs to} */
    public Graph graph() {
        return graph;
    }

    /** {@return the library's number of the node, a {@code gs_node_t}; no other node of the process ever has it} */
    public long number() {
        return number;
    }

    /** {@return what it does} */
    public NodeKind kind() {
        return info().kind();
    }

    /**
     * {@return what it does, with its parameters as they were added; changes of executables do not show}
     *
     * @throws IllegalStateException if the graph is closed
     */
    public NodeInfo info() {
        NodeInfo info = NodeInfo.of(graph.handle.use(), number);
        Reference.reachabilityFence(graph);
        return info;
    }

    /**
     * {@return the driver's handle, a CUgraphNode, for code that calls the driver itself and does not remove the node;
     * valid as long as the graph}
     *
     * @throws IllegalStateException if the graph is closed
     */
    public long nativeHandle() {
        return Call.forLong(out -> Native.CALLS.graphNodeNative(graph.handle.use(), number, out), graph);
    }

    /**
     * Declares to the ordering checker ({@link OrderingChecker}) that the node reads memory at each launch of executables
     * that are made later. The checker cannot know what kernels and host functions access.
     *
     * @param memory what it reads, all of it
     * @param label what reports call the work
     * @throws IllegalArgumentException if the label contains a NUL
     * @throws IllegalStateException if graph or memory is closed
     */
    public void checkRead(Memory memory, String label) {
        declare(memory, label, false);
    }

    /**
     * Declares that the node writes memory, and possibly reads it.
     *
     * @param memory what it writes, all of it
     * @param label what reports call the work
     * @throws IllegalArgumentException if the label contains a NUL
     * @throws IllegalStateException if graph or memory is closed
     */
    public void checkWrite(Memory memory, String label) {
        declare(memory, label, true);
    }

    private void declare(Memory memory, String label, boolean writes) {
        long address = Objects.requireNonNull(memory, "memory").address();
        long handle = graph.handle.use();
        long bytes = memory.byteSize();
        Call.withText(
                label,
                "label",
                text -> writes
                        ? Native.CALLS.graphCheckWrite(handle, number, address, bytes, text)
                        : Native.CALLS.graphCheckRead(handle, number, address, bytes, text),
                memory);
        Reference.reachabilityFence(graph);
    }

    /** {@return whether both are the same node of the same process} */
    @Override
    public boolean equals(Object other) {
        return other instanceof GraphNode node && node.number == number;
    }

    @Override
    public int hashCode() {
        return Long.hashCode(number);
    }

    /** {@return the number} */
    @Override
    public String toString() {
        return "GraphNode[" + Long.toUnsignedString(number) + "]";
    }
}
