// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import java.util.Objects;

/** The part of {@link StreamBuffer} that needs java.lang.foreign: from Java 22 on. Only buffers have it. */
interface BufferSegments {
    private StreamBuffer self() {
        return (StreamBuffer) this;
    }

    /**
     * Copies a native segment into the buffer in stream order. The segment is kept reachable until the copy is done; an
     * arena that can be closed must stay open until then. May block while the driver stages pageable memory.
     *
     * @param source native, of the same size
     * @throws IllegalArgumentException if the segment is on the heap, or the sizes differ
     * @throws IllegalStateException if the buffer or the segment's arena is closed
     */
    default void copyFrom(MemorySegment source) {
        Objects.requireNonNull(source, "source");
        StreamBlock block = self().block();
        block.use(() -> block.stream.copy(self(), source));
        Reference.reachabilityFence(this);
    }

    /**
     * Copies the buffer into a native segment in stream order; otherwise as the copy from one. Its bytes are there once
     * the stream is done.
     *
     * @param target native, not read-only, of the same size
     * @throws IllegalArgumentException if the segment is on the heap or read-only, or the sizes differ
     * @throws IllegalStateException if the buffer or the segment's arena is closed
     */
    default void copyTo(MemorySegment target) {
        Objects.requireNonNull(target, "target");
        StreamBlock block = self().block();
        block.use(() -> block.stream.copy(target, self()));
        Reference.reachabilityFence(this);
    }
}
