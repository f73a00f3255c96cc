// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import io.gpustream.internal.Layouts;
import io.gpustream.internal.Native;
import io.gpustream.internal.Scratch;

/**
 * A graph as a whole, without what is inside its child graphs and bodies.
 *
 * @param device the device of its nodes
 * @param isBody whether it is a body of a conditional node
 * @param hasConditions whether it has a conditional node, also in a body
 * @param nodeCount number of nodes
 * @param edgeCount number of dependencies
 */
public record GraphInfo(Device device, boolean isBody, boolean hasConditions, long nodeCount, long edgeCount) {
    /** The caller keeps the graph's object reachable. */
    static GraphInfo of(long graph) {
        Scratch scratch = Scratch.get();
        Failure.check(Native.CALLS.graphInfo(graph, Layouts.GRAPH_SUMMARY.prepare(scratch)));
        return new GraphInfo(
                Device.fromNumber(Layouts.GRAPH_SUMMARY.getInt(scratch, "device")),
                Layouts.GRAPH_SUMMARY.getInt(scratch, "is_body") != 0,
                Layouts.GRAPH_SUMMARY.getInt(scratch, "has_conditions") != 0,
                Layouts.GRAPH_SUMMARY.getLong(scratch, "node_count"),
                Layouts.GRAPH_SUMMARY.getLong(scratch, "edge_count"));
    }
}
