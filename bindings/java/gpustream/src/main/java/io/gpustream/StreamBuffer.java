// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.util.Objects;

/**
 * Memory that goes by a stream: allocated, filled, copied and freed in its order. A {@link DeviceBuffer}, a {@link
 * HostBuffer}, or a slice of one.
 *
 * <p>Work of other streams that uses the memory is named by {@link #recordStream}; copies between buffers do that
 * themselves. Any thread may call any method at any time. After {@link DeviceBuffer#close} or {@link HostBuffer#close}
 * every method but {@link #byteSize} throws {@link IllegalStateException}.
 *
 * <p>While the stream is captured, copies and fills become nodes of the graph. The program keeps the buffers open for as
 * long as the graph may run; {@link Graph#onRelease} can close them.
 */
public abstract sealed class StreamBuffer extends OrderedMemory implements BufferSegments
        permits DeviceBuffer, HostBuffer, StreamBuffer.Part {
    StreamBuffer() {}

    abstract StreamBlock block();

    /** {@return the stream, borrowed: valid until the buffer is closed} */
    public Stream stream() {
        StreamBlock block = block();
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

    /**
     * Fills the memory with a byte, in stream order. Does not block.
     *
     * @param value the byte, 0 to 255
     * @throws GpuStreamException INVALID_ARGUMENT (value out of range)
     */
    public void fill(int value) {
        StreamBlock block = block();
        block.use(() -> block.stream.fill(this, value));
        Reference.reachabilityFence(this);
    }

    /**
     * Copies memory into this buffer, in the order of this buffer's stream. If the source is a buffer of another stream,
     * this one's waits for its work first, and the source is freed after the copy; later work on the source in its own
     * stream must wait for this one. Other memory has to be ready, and to stay so until the copy is done. Does not block.
     *
     * @param source of the same size, not overlapping
     * @throws IllegalArgumentException if the sizes differ, or the ranges overlap
     * @throws IllegalStateException if the source is closed
     * @throws GpuStreamException NOT_SUPPORTED (different backends)
     */
    public void copyFrom(Memory source) {
        Ranges.common(byteSize(), Objects.requireNonNull(source, "source").byteSize());
        StreamBlock block = block();
        if (source instanceof StreamBuffer buffer) {
            StreamBlock other = buffer.block();
            StreamBlock.useBoth(block, other, () -> copyFrom(block, buffer, other));
        } else {
            block.use(() -> block.stream.copy(this, source));
        }
        Reference.reachabilityFence(this);
        Reference.reachabilityFence(source);
    }

    private void copyFrom(StreamBlock block, StreamBuffer source, StreamBlock other) {
        long bytes = byteSize();
        if (address() < source.address() + bytes && source.address() < address() + bytes) {
            throw new IllegalArgumentException("source overlaps this buffer");
        }
        if (block.stream.handle.number != other.stream.handle.number) {
            block.stream.waitStream(other.stream);
            other.addUser(block.stream); // before the copy: what is submitted cannot be taken back
        }
        block.stream.copy(this, source);
    }

    /**
     * Copies this buffer into other memory. Into a buffer, this is {@link #copyFrom(Memory)} of that one; else it is in
     * the order of this buffer's stream, and the target stays open and unused until it is done. Does not block.
     *
     * @param target of the same size, not overlapping
     * @throws IllegalArgumentException if the sizes differ, or the ranges overlap
     * @throws IllegalStateException if the target is closed
     * @throws GpuStreamException NOT_SUPPORTED (different backends)
     */
    public void copyTo(Memory target) {
        if (Objects.requireNonNull(target, "target") instanceof StreamBuffer buffer) {
            buffer.copyFrom(this);
            return;
        }
        StreamBlock block = block();
        block.use(() -> block.stream.copy(target, this));
        Reference.reachabilityFence(this);
    }

    /**
     * Copies a direct buffer's remaining bytes into this one, in stream order; its position stays. It is kept reachable
     * until the copy is done, and must not change until then. May block while the driver stages pageable memory.
     *
     * @param source direct, with as many bytes remaining as this buffer has
     * @throws IllegalArgumentException if the source is not direct, or the sizes differ
     * @throws IllegalStateException if, from Java 22 on, the source's arena is closed
     */
    public void copyFrom(ByteBuffer source) {
        Objects.requireNonNull(source, "source");
        StreamBlock block = block();
        block.use(() -> block.stream.copy(this, source));
        Reference.reachabilityFence(this);
    }

    /**
     * Copies this buffer over a direct buffer's remaining bytes, in stream order; its position stays. It is kept reachable
     * until the copy is done. Its bytes are there once the stream is done: {@link Stream#synchronize}, {@link
     * Stream#completion}. May block while the driver stages pageable memory.
     *
     * @param target direct, not read-only, with as many bytes remaining as this buffer has
     * @throws IllegalArgumentException if the target is not direct or read-only, or the sizes differ
     * @throws IllegalStateException if, from Java 22 on, the target's arena is closed
     */
    public void copyTo(ByteBuffer target) {
        Objects.requireNonNull(target, "target");
        StreamBlock block = block();
        block.use(() -> block.stream.copy(target, this));
        Reference.reachabilityFence(this);
    }

    /**
     * Names another stream that uses the memory: the buffer is freed after the work which that stream has when it is
     * closed. No stream waits. Of a slice it counts for the whole.
     *
     * @param user of the same backend
     * @throws IllegalStateException if the stream is closed
     * @throws IllegalArgumentException if it is a per-thread stream, which is another one on each thread
     */
    public void recordStream(Stream user) {
        requireOneStream(Objects.requireNonNull(user, "user"), "user");
        StreamBlock block = block();
        block.use(() -> block.addUser(user));
        Reference.reachabilityFence(user);
    }

    static void requireOneStream(Stream stream, String name) {
        if (stream.isPerThread()) {
            throw new IllegalArgumentException(name + " is a per-thread stream, which is another one on each thread");
        }
    }

    @Override
    void awaitAccess() {
        block().await();
    }

    final String text(String type) {
        StreamBlock block = block();
        return type + "[" + (block.isOpen() ? "0x" + Long.toHexString(address()) + ", " : "") + byteSize() + " bytes"
                + (block.isOpen() ? "]" : ", closed]");
    }

    /** Part of another buffer. */
    static final class Part extends StreamBuffer {
        private final StreamBuffer whole;
        private final long offset;
        private final long bytes;

        private Part(StreamBuffer whole, long offset, long bytes) {
            this.whole = whole;
            this.offset = offset;
            this.bytes = bytes;
        }

        @Override
        StreamBlock block() {
            return whole.block();
        }

        @Override
        public long address() {
            return whole.address() + offset;
        }

        @Override
        public long byteSize() {
            return bytes;
        }

        @Override
        SegmentArena segments() {
            return whole.segments();
        }

        @Override
        public String toString() {
            return text("StreamBuffer");
        }
    }
}
