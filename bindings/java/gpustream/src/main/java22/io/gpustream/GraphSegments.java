// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import java.lang.foreign.MemorySegment;
import java.util.Objects;

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
        Objects.requireNonNull(target, "target");
        Segments.requireNative(source, "source");
        long bytes = Ranges.common(target.byteSize(), source.byteSize());
        return ((GraphWork) this).copyKeeping(target.address(), source.address(), bytes, after, target, source);
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
        Segments.requireNative(target, "target");
        Objects.requireNonNull(source, "source");
        Segments.requireWritable(target, "target");
        long bytes = Ranges.common(target.byteSize(), source.byteSize());
        return ((GraphWork) this).copyKeeping(target.address(), source.address(), bytes, after, target, source);
    }
}
