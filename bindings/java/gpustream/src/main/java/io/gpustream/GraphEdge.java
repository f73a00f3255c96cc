// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

/**
 * A dependency in a graph.
 *
 * @param from the node that comes before
 * @param to the node that waits for it
 */
public record GraphEdge(GraphNode from, GraphNode to) {}
