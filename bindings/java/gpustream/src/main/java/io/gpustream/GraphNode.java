// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

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
        long found = GraphContents.nativeNode(graph.handle.use(), number);
        Reference.reachabilityFence(graph);
        return found;
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
