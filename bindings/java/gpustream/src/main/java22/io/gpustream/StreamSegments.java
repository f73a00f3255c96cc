// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Objects;

/** The part of {@link Stream} that needs java.lang.foreign: from Java 22 on. */
abstract class StreamSegments extends StreamWork {
    StreamSegments(long number, boolean owned) {
        super(number, owned);
    }

    /** The driver's handle as a pointer, to pass to functions called through java.lang.foreign. See nativeHandle. */
    public MemorySegment asParameter() {
        return MemorySegment.ofAddress(nativeHandle());
    }

    /**
     * Copies between native segments in stream order, in whichever direction. Both are kept reachable until the copy is
     * done; an arena that can be closed must not be closed before.
     *
     * @throws IllegalArgumentException if a segment is on the heap, the target is read-only, or the sizes differ
     * @throws IllegalStateException if a segment's arena is closed
     */
    public void copy(MemorySegment target, MemorySegment source) {
        checkNative(target, "target");
        checkNative(source, "source");
        if (target.isReadOnly()) {
            throw new IllegalArgumentException("target is read-only");
        }
        long bytes = common(target.byteSize(), source.byteSize());
        copyKeeping(target.address(), source.address(), bytes, new MemorySegment[] {target, source});
    }

    /**
     * Copies a native segment into memory in stream order; it is kept reachable until then.
     *
     * @throws IllegalArgumentException if the segment is on the heap, or the sizes differ
     * @throws IllegalStateException if the memory or the segment's arena is closed
     */
    public void copy(Memory target, MemorySegment source) {
        Objects.requireNonNull(target, "target");
        checkNative(source, "source");
        copyKeeping(target.address(), source.address(), common(target.byteSize(), source.byteSize()), source);
    }

    /**
     * Copies memory into a native segment in stream order; it is kept reachable until then.
     *
     * @throws IllegalArgumentException if the segment is on the heap or read-only, or the sizes differ
     * @throws IllegalStateException if the memory or the segment's arena is closed
     */
    public void copy(MemorySegment target, Memory source) {
        checkNative(target, "target");
        Objects.requireNonNull(source, "source");
        if (target.isReadOnly()) {
            throw new IllegalArgumentException("target is read-only");
        }
        copyKeeping(target.address(), source.address(), common(target.byteSize(), source.byteSize()), target);
    }

    private static void checkNative(MemorySegment segment, String name) {
        if (!Objects.requireNonNull(segment, name).isNative()) {
            throw new IllegalArgumentException(name + " is on the heap: the collector may move its bytes");
        }
        requireAlive(segment, name);
    }

    // With either layer: a buffer of an arena is the same object to both, and only this form of the class can ask it.
    @Override
    final void requireAlive(ByteBuffer buffer, String name) {
        requireAlive(MemorySegment.ofBuffer(buffer), name);
    }

    private static void requireAlive(MemorySegment segment, String name) {
        if (!segment.scope().isAlive()) {
            throw new IllegalStateException(name + " is closed");
        }
    }
}
