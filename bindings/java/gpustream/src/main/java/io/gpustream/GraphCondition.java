// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import java.util.List;

/**
 * A conditional node and its bodies. A body is a graph to which nodes are added as to any other, and into which streams
 * are captured. It may have nodes of the kinds kernel, copy, fill, empty, graph, condition and set condition. It is
 * borrowed and ends with its graph: {@code close()} has no effect on a body. A body cannot be made executable.
 *
 * @param node the node
 * @param bodies its bodies: for IF the one for a condition other than 0, then the one for 0 if there is one; for SWITCH
 *     by the condition's value
 */
public record GraphCondition(GraphNode node, List<Graph> bodies) {
    /** {@return the first body, or the only one} */
    public Graph body() {
        return bodies.get(0);
    }
}
