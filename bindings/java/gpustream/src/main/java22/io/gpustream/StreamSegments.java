// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import java.lang.foreign.MemorySegment;
import java.util.Objects;

/** The part of {@link Stream} that needs java.lang.foreign: from Java 22 on. Only streams have it. */
interface StreamSegments {
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
        Segments.requireNative(target, "target");
        Segments.requireNative(source, "source");
        Segments.requireWritable(target, "target");
        long bytes = Ranges.common(target.byteSize(), source.byteSize());
        ((StreamNatives) this)
                .copyKeeping(target.address(), source.address(), bytes, new MemorySegment[] {target, source});
    }

    /**
     * Copies a native segment into memory in stream order. The segment is kept reachable until the copy is done; see
     * the copy between segments.
     *
     * @param target where to
     * @param source where from; native, of the same size
     */
    default void copy(Memory target, MemorySegment source) {
        Objects.requireNonNull(target, "target");
        Segments.requireNative(source, "source");
        long bytes = Ranges.common(target.byteSize(), source.byteSize());
        StreamNatives self = (StreamNatives) this;
        Memory.use(self.handle.use(), () -> self.copyKeeping(target.address(), source.address(), bytes, source), target);
    }

    /**
     * Copies memory into a native segment in stream order. The segment is kept reachable until the copy is done; see
     * the copy between segments.
     *
     * @param target where to; native, not read-only
     * @param source where from; of the same size
     */
    default void copy(MemorySegment target, Memory source) {
        Segments.requireNative(target, "target");
        Objects.requireNonNull(source, "source");
        Segments.requireWritable(target, "target");
        long bytes = Ranges.common(target.byteSize(), source.byteSize());
        StreamNatives self = (StreamNatives) this;
        Memory.use(self.handle.use(), () -> self.copyKeeping(target.address(), source.address(), bytes, target), source);
    }
}
