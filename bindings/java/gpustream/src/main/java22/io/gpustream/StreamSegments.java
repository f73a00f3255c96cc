// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import java.lang.foreign.MemorySegment;
import java.util.Objects;

/** The part of {@link Stream} that needs java.lang.foreign: from Java 22 on. Only streams have it. */
interface StreamSegments {
    /** A side of a copy that is read. */
    static Side side(MemorySegment segment, String name) {
        if (!Objects.requireNonNull(segment, name).isNative()) {
            throw new IllegalArgumentException(name + " is on the heap: the collector may move its bytes");
        }
        Segments.requireAlive(segment, name);
        return new Side(segment, segment.byteSize(), segment::address);
    }

    /** One that is written. */
    static Side toWrite(MemorySegment segment, String name) {
        Side side = side(segment, name);
        if (segment.isReadOnly()) {
            throw new IllegalArgumentException(name + " is read-only");
        }
        return side;
    }

    /**
     * Copies between native segments in stream order, in any direction. Both are kept reachable until the copy is done;
     * an arena that can be closed must stay open until then. While the stream is captured, the program keeps both for
     * as long as the graph may run.
     *
     * @param target where to; native, not read-only
     * @param source where from; native, of the same size
     * @throws GpuStreamException as {@link Stream#copy(long, long, long)}
     * @throws IllegalArgumentException if a segment is on the heap, the target is read-only, or the sizes differ
     * @throws IllegalStateException if the stream or a segment's arena is closed
     */
    default void copy(MemorySegment target, MemorySegment source) {
        ((StreamNatives) this).copy(toWrite(target, "target"), side(source, "source"));
    }

    /**
     * Copies a native segment into memory in stream order. The segment is kept reachable until the copy is done; see
     * the copy between segments.
     *
     * @param target where to
     * @param source where from; native, of the same size
     */
    default void copy(Memory target, MemorySegment source) {
        ((StreamNatives) this).copy(Side.of(target, "target"), side(source, "source"));
    }

    /**
     * Copies memory into a native segment in stream order. The segment is kept reachable until the copy is done; see
     * the copy between segments.
     *
     * @param target where to; native, not read-only
     * @param source where from; of the same size
     */
    default void copy(MemorySegment target, Memory source) {
        ((StreamNatives) this).copy(toWrite(target, "target"), Side.of(source, "source"));
    }
}
