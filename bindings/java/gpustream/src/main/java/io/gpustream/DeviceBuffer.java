// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import io.gpustream.internal.Native;
import io.gpustream.internal.Scratch;
import io.gpustream.internal.lifetime.Handle;
import java.lang.ref.Reference;
import java.util.Objects;

/**
 * Device memory that goes by a stream.
 *
 * <pre>{@code
 * try (HostBuffer input = HostBuffer.allocate(1 << 20, stream);
 *         DeviceBuffer data = DeviceBuffer.allocate(1 << 20, stream)) {
 *     input.asByteBuffer().putInt(0, 42);
 *     data.copyFrom(input, stream);
 *     kernel.launch(config, stream, data);
 * }                                         // both are freed after the kernel; nothing waits
 * }</pre>
 *
 * <p>If it is never closed it stays allocated and a warning is logged, as a device may still use it.
 */
public final class DeviceBuffer extends StreamBuffer implements AutoCloseable {
    private DeviceBuffer(long address, long bytes, long stream) {
        super(new StreamBlock(address, bytes, stream, "the device buffer"), null, 0, bytes);
    }

    /**
     * {@return a buffer of the current stream; otherwise as {@link #allocate(long, Stream)}}
     *
     * @param bytes size; of 0 bytes nothing is allocated, and the address is 0
     */
    public static DeviceBuffer allocate(long bytes) {
        return allocate(bytes, Stream.current());
    }

    /**
     * Allocates memory from the thread's current pool of the stream's device, in stream order. Does not block.
     *
     * @param bytes size; of 0 bytes nothing is allocated, and the address is 0
     * @param stream the stream whose later work uses the memory; a reference is kept until the buffer is closed
     * @return the buffer: uninitialised, aligned to at least 256 bytes
     * @throws IllegalArgumentException if bytes is negative, or it is a per-thread stream
     * @throws GpuStreamException OUT_OF_MEMORY, NOT_SUPPORTED (the device has no stream-ordered memory), CAPTURING
     *     while the stream is captured
     */
    public static DeviceBuffer allocate(long bytes, Stream stream) {
        long number = retained(bytes, Objects.requireNonNull(stream, "stream"));
        Scratch scratch = Scratch.get();
        int status = Native.CALLS.mallocAsync(bytes, number, scratch.address);
        Reference.reachabilityFence(stream);
        Call.check(status, Handle.Kind.STREAM, number);
        return new DeviceBuffer(scratch.getLong(), bytes, number);
    }

    /** The stream's number with a reference more, after the checks that all buffers need. */
    static long retained(long bytes, Stream stream) {
        if (bytes < 0) {
            throw new IllegalArgumentException("bytes is " + bytes);
        }
        requireOneStream(stream, "stream");
        if (stream.isCapturing()) {
            throw Failure.of(Status.CAPTURING, "the stream is being captured: the memory would be the graph's");
        }
        long number = stream.handle.use();
        Failure.check(Native.CALLS.streamRetain(number));
        return number;
    }

    /**
     * Frees the memory after the present work of all streams that use it, or with the graph that captures one of them. Later
     * calls do nothing. Does not block.
     *
     * @throws GpuStreamException why the driver refuses; it is still open then
     */
    @Override
    public void close() {
        block().close(() -> {});
    }
}
