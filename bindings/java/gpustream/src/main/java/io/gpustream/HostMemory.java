// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import io.gpustream.internal.Constants;
import io.gpustream.internal.Native;
import io.gpustream.internal.Scratch;
import io.gpustream.internal.lifetime.Leak;
import java.nio.ByteBuffer;

/**
 * Host memory that devices copy from and to asynchronously: page-locked on CUDA, scarce, meant for buffers that are
 * kept. If it is never closed it stays allocated and a warning is logged, as a device may still use it. Any thread may
 * call any method.
 *
 * <p>It belongs to the device that is current when it is allocated, and ends on CUDA where that is reset. {@link
 * Device#reset} ends its segments before. After a reset by other code, of which these classes do not know, every segment
 * and buffer of the memory is invalid.
 */
public final class HostMemory extends Memory implements AutoCloseable {
    private final long address;
    private final int device; // number of the one whose reset ends the memory; DEVICE_NONE: not known
    private final SegmentArena segments;
    private final Leak leak;

    private HostMemory(long address, long bytes, int device) {
        super(bytes);
        this.address = address;
        this.device = device;
        segments = new SegmentArena(() -> device);
        leak = Leak.ofMemory(this, "the host memory", bytes);
    }

    /**
     * Allocates memory of the current device's backend: uninitialised, aligned to at least 64 bytes. Blocks while the
     * driver maps the memory, which may wait for device work.
     *
     * @param bytes size; of 0 bytes nothing is allocated, and the address is 0
     * @return the memory
     * @throws GpuStreamException OUT_OF_MEMORY, UNAVAILABLE, DRIVER, STICKY, CONTEXT_LOST, SYSTEM
     */
    public static HostMemory allocate(long bytes) {
        if (bytes < 0) {
            throw new IllegalArgumentException("bytes is " + bytes);
        }
        Scratch scratch = Scratch.get();
        // A call that fails here says so below, unless only this is refused: in the functions of a bridge.
        boolean known = Native.CALLS.currentDevice(scratch.address) == 0;
        int device = known ? Device.fromNumber(scratch.getInt()).number : Constants.DEVICE_NONE;
        Failure.check(Native.CALLS.mallocHost(bytes, scratch.address));
        return new HostMemory(scratch.getLong(), bytes, device);
    }

    @Override
    public long address() {
        leak.requireUsable();
        return address;
    }

    @Override
    SegmentArena segments() {
        return segments;
    }

    /**
     * Returns the memory as a direct buffer. {@link #close()} and the reset of its device make the buffer invalid, which
     * Java cannot check. From Java 22 on, {@code asSegment().asByteBuffer()} is a buffer that is checked.
     *
     * @return a new buffer in native byte order
     * @throws IllegalStateException if the memory is closed, or has ended with its device
     * @throws UnsupportedOperationException if the memory has more than 2^31 - 9 bytes
     */
    public ByteBuffer asByteBuffer() {
        ResetDevices.requireMemory(device);
        return buffer();
    }

    /**
     * Frees the memory, which no pending work may use. Later calls do nothing. Its segments end first: later accesses
     * to them throw IllegalStateException. Blocks while the driver unmaps the memory, which may wait for device work.
     *
     * @throws GpuStreamException if the driver refuses; the memory is still open then, though its segments have ended
     * @throws IllegalStateException if a foreign function or a channel is working on a segment of it; it is still open
     *     then
     */
    @Override
    public void close() {
        leak.free(() -> {
            segments.close();
            Failure.check(Native.CALLS.freeHost(address));
        });
    }
}
