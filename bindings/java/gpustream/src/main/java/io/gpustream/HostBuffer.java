// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import io.gpustream.internal.Scratch;
import io.gpustream.internal.lifetime.Handle;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.util.Objects;

/**
 * Page-locked host memory that goes by a stream. Copies between it and devices return at once. The same stream gets freed
 * memory again without a call of the driver. Java reads and writes it once the stream's work is done.
 *
 * <p>If it is never closed it stays allocated and a warning is logged, as a device may still use it. {@link HostMemory} is
 * for memory without a stream, and for drivers that lack pools of page-locked memory.
 *
 * <p>On CUDA the memory ends where its stream's device is reset. {@link Device#reset} ends its segments before. After a
 * reset by other code, of which these classes do not know, every segment and buffer of the memory is invalid.
 */
public final class HostBuffer extends StreamBuffer implements AutoCloseable {
    // The arena knows the stream alone: the block must become unreachable if the buffer is forgotten.
    private HostBuffer(StreamBlock block, Stream borrowed) {
        super(block, new SegmentArena(() -> borrowed.device().number), 0, block.bytes);
    }

    /**
     * {@return a buffer of the current stream; otherwise as {@link #allocate(long, Stream)}}
     *
     * @param bytes size; of 0 bytes nothing is allocated, and the address is 0
     */
    public static HostBuffer allocate(long bytes) {
        return allocate(bytes, Stream.current());
    }

    /**
     * Allocates page-locked memory in stream order. The first buffer of a device makes a pool, which lives as long as the
     * process; {@link Library#trim} returns what it has unused. Does not block, but for the driver while it maps memory.
     *
     * @param bytes size; of 0 bytes nothing is allocated, and the address is 0
     * @param stream the stream whose later work uses the memory; a reference is kept until the buffer is closed
     * @return the buffer: uninitialised, aligned to at least 256 bytes
     * @throws IllegalArgumentException if bytes is negative, or it is a per-thread stream
     * @throws GpuStreamException OUT_OF_MEMORY, NOT_SUPPORTED (the driver has no pools of page-locked memory), CAPTURING
     *     while the stream is captured
     */
    public static HostBuffer allocate(long bytes, Stream stream) {
        long number = DeviceBuffer.retained(bytes, Objects.requireNonNull(stream, "stream"));
        Scratch scratch = Scratch.get();
        int status = HostPools.allocate(scratch, bytes, number);
        Reference.reachabilityFence(stream);
        Call.check(status, Handle.Kind.STREAM, number);
        StreamBlock block = new StreamBlock(scratch.getLong(), bytes, number, "the host buffer");
        return new HostBuffer(block, block.stream);
    }

    /**
     * Returns the memory as a direct buffer. Blocks until the present work of its stream, and of all others that use it, is
     * done. {@link #close()} and the reset of the device make the buffer invalid, which Java
     * cannot check. From Java 22 on, {@code asSegment().asByteBuffer()} is a buffer that is checked.
     *
     * @return a new buffer in native byte order
     * @throws UnsupportedOperationException if the memory has more than 2^31 - 9 bytes
     * @throws GpuStreamException CAPTURING while the stream is captured; the failure of the work
     */
    public ByteBuffer asByteBuffer() {
        block().await();
        return buffer();
    }

    /**
     * Frees the memory after the present work of all streams that use it, or with the graph that captures one of them. Later
     * calls do nothing. Its segments end at once: later accesses to them throw IllegalStateException. Does not block.
     *
     * @throws GpuStreamException why the driver refuses; it is still open then
     * @throws IllegalStateException if a foreign function or a channel is working on a segment of it; it is still open
     *     then
     */
    @Override
    public void close() {
        block().close(segments()::close);
    }
}
