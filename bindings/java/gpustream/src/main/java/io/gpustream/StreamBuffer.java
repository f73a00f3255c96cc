// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.util.Objects;

/**
 * Memory that goes by streams: allocated, filled, copied and freed in their order. A {@link DeviceBuffer}, a {@link
 * HostBuffer}, or a slice of one.
 *
 * <p>Copies and fills work in the current stream of the buffer's device unless they are given one. The first use in another
 * stream than that of the allocation waits for what the latter has then; between uses in different streams nothing waits by
 * itself. The buffer is freed after the work that all of these streams have when it is closed: those of copies, fills and
 * kernels, and those that {@link #recordStream} names. Any thread may call any method at any time. After {@link
 * DeviceBuffer#close} or {@link HostBuffer#close} every method but {@link #byteSize} throws {@link IllegalStateException}.
 *
 * <p>While a stream is captured, copies and fills become nodes of the graph. The program keeps the buffers open for as
 * long as the graph may run, or closes them during the capture, which leaves the memory to the graph.
 */
public abstract sealed class StreamBuffer extends OrderedMemory implements BufferSegments
        permits DeviceBuffer, HostBuffer, StreamBuffer.Part {
    private final StreamBlock block;
    private final SegmentArena segments; // null: device memory
    private final long offset;

    StreamBuffer(StreamBlock block, SegmentArena segments, long offset, long bytes) {
        super(bytes);
        this.block = block;
        this.segments = segments;
        this.offset = offset;
    }

    final StreamBlock block() {
        return block;
    }

    @Override
    public final long address() {
        return block.address() + offset;
    }

    @Override
    final SegmentArena segments() {
        return segments;
    }

    /** {@return the stream, borrowed: valid until the buffer is closed} */
    public Stream stream() {
        block.address();
        return block.stream;
    }

    /**
     * Returns a part of the memory. It is closed with the whole.
     *
     * @param offset first byte, from 0
     * @param bytes size
     * @return the part, which keeps the whole reachable
     * @throws IndexOutOfBoundsException if the part is not inside
     */
    @Override
    public StreamBuffer slice(long offset, long bytes) {
        Objects.checkFromIndexSize(offset, bytes, byteSize());
        return new Part(this, offset, bytes);
    }

    @Override
    void use(long stream, Runnable submit) {
        block.use(stream, submit);
        Reference.reachabilityFence(this);
    }

    @Override
    long order() {
        return block.order;
    }

    final Stream current() {
        block.address();
        return Stream.current(block.stream.device());
    }

    /**
     * Fills the memory with a byte, in the current stream of its device; otherwise as {@link #fill(int, Stream)}.
     *
     * @param value the byte, 0 to 255
     */
    public void fill(int value) {
        current().fill(this, value);
    }

    /**
     * Fills the memory with a byte, in stream order. Does not block.
     *
     * @param value the byte, 0 to 255
     * @param stream where
     * @throws GpuStreamException INVALID_ARGUMENT (value out of range)
     */
    public void fill(int value, Stream stream) {
        Objects.requireNonNull(stream, "stream").fill(this, value);
    }

    /**
     * Copies memory into this buffer, in the current stream of its device; otherwise as {@link #copyFrom(Memory, Stream)}.
     *
     * @param source of the same size, not overlapping
     */
    public void copyFrom(Memory source) {
        Objects.requireNonNull(source, "source");
        copy(this, source, current());
    }

    /**
     * Copies memory into this buffer, in stream order. Memory that is no buffer has to be ready, and to stay so until the copy
     * is done. Does not block.
     *
     * @param source of the same size, not overlapping
     * @param stream where
     * @throws IllegalArgumentException if the sizes differ, or the ranges overlap
     * @throws IllegalStateException if the source is closed
     * @throws GpuStreamException NOT_SUPPORTED (different backends)
     */
    public void copyFrom(Memory source, Stream stream) {
        copy(this, Objects.requireNonNull(source, "source"), stream);
    }

    /**
     * Copies this buffer into other memory, in the current stream of its device; otherwise as {@link #copyTo(Memory, Stream)}.
     *
     * @param target of the same size, not overlapping
     */
    public void copyTo(Memory target) {
        Objects.requireNonNull(target, "target");
        copy(target, this, current());
    }

    /**
     * Copies this buffer into other memory, in stream order; otherwise as {@link #copyFrom(Memory, Stream)}.
     *
     * @param target of the same size, not overlapping; it stays open and unused until the copy is done
     * @param stream where
     */
    public void copyTo(Memory target, Stream stream) {
        copy(Objects.requireNonNull(target, "target"), this, stream);
    }

    private static void copy(Memory target, Memory source, Stream stream) {
        Objects.requireNonNull(stream, "stream");
        long bytes = Side.common(target.byteSize(), source.byteSize());
        if (target.address() < source.address() + bytes && source.address() < target.address() + bytes) {
            throw new IllegalArgumentException("source and target overlap");
        }
        stream.copy(target, source);
    }

    /**
     * Copies a direct buffer's remaining bytes into this one, in the current stream of its device; otherwise as {@link
     * #copyFrom(ByteBuffer, Stream)}.
     *
     * @param source direct, with as many bytes remaining as this buffer has
     */
    public void copyFrom(ByteBuffer source) {
        Objects.requireNonNull(source, "source");
        current().copy(this, source);
    }

    /**
     * Copies a direct buffer's remaining bytes into this one, in stream order; its position stays. It is kept reachable
     * until the copy is done, and must not change until then. May block while the driver stages pageable memory.
     *
     * @param source direct, with as many bytes remaining as this buffer has
     * @param stream where
     * @throws IllegalArgumentException if the source is not direct, or the sizes differ
     * @throws IllegalStateException if, from Java 22 on, the source's arena is closed
     */
    public void copyFrom(ByteBuffer source, Stream stream) {
        Objects.requireNonNull(source, "source");
        Objects.requireNonNull(stream, "stream").copy(this, source);
    }

    /**
     * Copies this buffer over a direct buffer's remaining bytes, in the current stream of its device; otherwise as {@link
     * #copyTo(ByteBuffer, Stream)}.
     *
     * @param target direct, not read-only, with as many bytes remaining as this buffer has
     */
    public void copyTo(ByteBuffer target) {
        Objects.requireNonNull(target, "target");
        current().copy(target, this);
    }

    /**
     * Copies this buffer over a direct buffer's remaining bytes, in stream order; its position stays. It is kept reachable
     * until the copy is done. Its bytes are there once the stream is done: {@link Stream#synchronize}, {@link
     * Stream#completion}. May block while the driver stages pageable memory.
     *
     * @param target direct, not read-only, with as many bytes remaining as this buffer has
     * @param stream where
     * @throws IllegalArgumentException if the target is not direct or read-only, or the sizes differ
     * @throws IllegalStateException if, from Java 22 on, the target's arena is closed
     */
    public void copyTo(ByteBuffer target, Stream stream) {
        Objects.requireNonNull(target, "target");
        Objects.requireNonNull(stream, "stream").copy(target, this);
    }

    /**
     * Names another stream that uses the memory by its address: the buffer is freed after the work which that stream has when it
     * is closed. No stream waits, also for the allocation. Of a slice it counts for the whole.
     *
     * @param user of the same backend
     * @throws IllegalStateException if the stream is closed
     * @throws IllegalArgumentException if it is a per-thread stream, which is another one on each thread
     */
    public void recordStream(Stream user) {
        requireOneStream(Objects.requireNonNull(user, "user"), "user");
        block.record(user);
        Reference.reachabilityFence(user);
        Reference.reachabilityFence(this);
    }

    static void requireOneStream(Stream stream, String name) {
        if (stream.isPerThread()) {
            throw new IllegalArgumentException(name + " is a per-thread stream, which is another one on each thread");
        }
    }

    @Override
    void awaitAccess() {
        block.await();
    }

    /** Part of another buffer. */
    static final class Part extends StreamBuffer {
        private Part(StreamBuffer whole, long offset, long bytes) {
            super(whole.block, whole.segments, whole.offset + offset, bytes);
        }
    }
}
