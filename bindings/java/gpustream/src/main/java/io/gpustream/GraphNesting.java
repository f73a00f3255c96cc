// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import io.gpustream.internal.Native;
import io.gpustream.internal.Scratch;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** Graphs inside a {@link Graph}. Only graphs are one. */
public sealed interface GraphNesting permits Graph {
    private GraphWork nodes() {
        return (GraphWork) this;
    }

    /**
     * Adds a node that runs another graph. It has a copy of the child as it is now.
     *
     * @param child a graph of the same device
     * @param after nodes of this graph that come before it, each once
     * @return the node
     * @throws GpuStreamException INVALID_ARGUMENT (child is this graph), DEVICE_MISMATCH, NOT_SUPPORTED (child has
     *     conditional nodes, nodes that allocate or free memory, or nodes that no body can have), NOT_PERMITTED (child
     *     is a body, or is being captured)
     */
    default GraphNode addGraph(Graph child, GraphNode... after) {
        long number = HandleOwner.numberOf(child, "child");
        GraphNode node = nodes().add(after, NodeParams.graph(number));
        Reference.reachabilityFence(child);
        return node;
    }

    /**
     * Adds a conditional node. Each launch begins with the condition at {@code initial}; nodes of {@link #setCondition}
     * change it.
     *
     * @param kind what it does with its bodies
     * @param bodies how many: 1 or 2 for IF, 1 for WHILE, 1 to 1024 for SWITCH
     * @param initial the condition when a launch begins
     * @param after nodes of this graph that come before it, each once
     * @return the node with its bodies, which are empty graphs
     * @throws GpuStreamException INVALID_ARGUMENT (bodies is no number for this kind), NOT_SUPPORTED (CUDA before 12.4;
     *     before 12.8 for SWITCH and for two bodies)
     */
    default GraphCondition addCondition(ConditionKind kind, int bodies, int initial, GraphNode... after) {
        Objects.requireNonNull(kind, "kind");
        GraphNode node = nodes().add(after, NodeParams.condition(kind, initial, bodies));
        ByteBuffer found = Scratch.direct(8 * bodies);
        int status = Native.CALLS.graphNodeBodies(
                nodes().handle.use(), node.number, Native.BRIDGE.addressOf(found), bodies, Scratch.get().address);
        Failure.check(status);
        List<Graph> graphs = new ArrayList<>();
        for (int i = 0; i < bodies; i++) {
            graphs.add(Graph.body(found.getLong(8 * i), nodes().self()));
        }
        return new GraphCondition(node, List.copyOf(graphs));
    }

    /**
     * Adds a node that sets a condition from a 32-bit word, which memory holds when the node runs. In the graph that
     * has the conditional node it comes before that node by itself; in a body of a WHILE it decides about another
     * round. Two nodes that may run at the same time must not set the same condition.
     *
     * @param condition a condition of this graph, or of one that this graph is a body in
     * @param word device memory or {@link HostMemory} of at least 4 bytes, aligned to 4, open as long as launches may
     *     run
     * @param after nodes of this graph that come before it, each once
     * @return the node
     * @throws GpuStreamException INVALID_ARGUMENT (not aligned; another graph's condition; or it comes before a node of
     *     after)
     * @throws IllegalArgumentException if the memory has less than 4 bytes
     * @throws IllegalStateException if graph or memory is closed
     */
    default GraphNode setCondition(GraphCondition condition, Memory word, GraphNode... after) {
        GraphNode node = Objects.requireNonNull(condition, "condition").node();
        long address = Objects.requireNonNull(word, "word").address();
        if (word.byteSize() < 4) {
            throw new IllegalArgumentException("word has " + word.byteSize() + " bytes");
        }
        long owner = node.graph().handle.use();
        return nodes().addKeeping(after, NodeParams.setCondition(owner, node.number, address), word);
    }

    /**
     * Names the graph in the texts of errors; "" ends that. The first 63 bytes are kept.
     *
     * @param name any text
     * @throws IllegalArgumentException if it contains a NUL
     */
    default void setName(String name) {
        Call.withText(name, "name", text -> Native.CALLS.graphSetName(nodes().handle.use(), text), this);
    }
}
