// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import java.lang.foreign.MemorySegment;

/** The part of {@link Graph} that needs java.lang.foreign: from Java 22 on. Only graphs have it. */
interface GraphSegments {
    /**
     * Adds a node that copies what the segment holds at the launch. The segment is kept reachable; an arena that can be
     * closed stays open as long as launches may run. On CUDA such a copy is not possible in a body.
     *
     * @param target where to
     * @param source where from; native, of the same size
     * @param after nodes of this graph that come before it, each once
     * @return the node
     * @throws IllegalArgumentException if the segment is on the heap, or the sizes differ
     * @throws IllegalStateException if the graph, the memory or the segment's arena is closed
     */
    default GraphNode addCopy(Memory target, MemorySegment source, GraphNode... after) {
        return ((GraphWork) this).copyKeeping(Side.of(target, "target"), StreamSegments.side(source, "source"), after);
    }

    /**
     * Adds a node that copies into a native segment; otherwise as {@link Graph#addCopy(Memory, MemorySegment,
     * GraphNode...)}.
     *
     * @param target where to; native, not read-only
     * @param source where from; of the same size
     * @param after nodes of this graph that come before it, each once
     * @return the node
     */
    default GraphNode addCopy(MemorySegment target, Memory source, GraphNode... after) {
        Side to = StreamSegments.toWrite(target, "target");
        return ((GraphWork) this).copyKeeping(to, Side.of(source, "source"), after);
    }
}
