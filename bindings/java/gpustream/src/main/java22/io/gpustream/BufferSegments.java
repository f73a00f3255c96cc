// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import java.lang.foreign.MemorySegment;
import java.util.Objects;

/** The part of {@link StreamBuffer} that needs java.lang.foreign: from Java 22 on. Only buffers have it. */
interface BufferSegments {
    private StreamBuffer self() {
        return (StreamBuffer) this;
    }

    /**
     * Copies a native segment into the buffer, in the current stream of its device; otherwise as {@link
     * #copyFrom(MemorySegment, Stream)}.
     *
     * @param source native, of the same size
     */
    default void copyFrom(MemorySegment source) {
        copyFrom(source, self().current());
    }

    /**
     * Copies a native segment into the buffer in stream order. The segment is kept reachable until the copy is done; an
     * arena that can be closed must stay open until then. May block while the driver stages pageable memory.
     *
     * @param source native, of the same size
     * @param stream where
     * @throws IllegalArgumentException if the segment is on the heap, or the sizes differ
     * @throws IllegalStateException if the buffer or the segment's arena is closed
     */
    default void copyFrom(MemorySegment source, Stream stream) {
        Objects.requireNonNull(source, "source");
        Objects.requireNonNull(stream, "stream").copy(self(), source);
    }

    /**
     * Copies the buffer into a native segment, in the current stream of its device; otherwise as {@link
     * #copyTo(MemorySegment, Stream)}.
     *
     * @param target native, not read-only, of the same size
     */
    default void copyTo(MemorySegment target) {
        copyTo(target, self().current());
    }

    /**
     * Copies the buffer into a native segment in stream order; otherwise as the copy from one. Its bytes are there once
     * the stream is done.
     *
     * @param target native, not read-only, of the same size
     * @param stream where
     */
    default void copyTo(MemorySegment target, Stream stream) {
        Objects.requireNonNull(target, "target");
        Objects.requireNonNull(stream, "stream").copy(target, self());
    }
}
