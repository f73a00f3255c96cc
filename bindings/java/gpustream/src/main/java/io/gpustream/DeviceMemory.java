// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import io.gpustream.internal.Native;
import io.gpustream.internal.Scratch;
import java.lang.ref.Reference;

/**
 * Device memory of {@link Stream#allocate}. Freed by {@link #close()} in the order of the stream that allocated it:
 * after the work submitted there so far. Work of other streams must be waited for first. If it is never closed it stays
 * allocated and a warning is logged, as a device may still use it.
 */
public final class DeviceMemory extends Memory implements AutoCloseable {
    private final long address;
    private final long bytes;
    private final Stream stream; // our own reference: it must be there to free in
    private final Leak leak;

    private DeviceMemory(long address, long bytes, Stream stream) {
        this.address = address;
        this.bytes = bytes;
        this.stream = stream;
        leak = new Leak(this, "the device memory", " of " + bytes + " bytes");
    }

    static DeviceMemory allocate(StreamIdentity stream, long bytes) {
        if (bytes < 1) {
            throw new IllegalArgumentException("bytes is " + bytes);
        }
        long number = stream.handle.use();
        Failure.check(Native.STREAMS.streamRetain(number));
        Stream own = new Stream(number, true);
        Scratch scratch = Scratch.get();
        int status = Native.WORK.mallocAsync(bytes, number, scratch.address);
        Reference.reachabilityFence(stream);
        if (status != 0) {
            GpuStreamException failure = Failure.of(status);
            own.close();
            throw failure;
        }
        return new DeviceMemory(scratch.getLong(), bytes, own);
    }

    @Override
    public long address() {
        leak.requireUsable();
        return address;
    }

    @Override
    public long byteSize() {
        return bytes;
    }

    @Override
    SegmentArena segments() {
        return null;
    }

    /** Frees in the order of a stream: {@link Stream#free}. */
    void free(StreamIdentity inOrderOf) {
        if (!release(inOrderOf)) {
            throw new IllegalStateException("the device memory is closed");
        }
    }

    /**
     * Frees the memory in the order of the stream that allocated it; again, it does nothing. Does not block.
     *
     * @throws GpuStreamException if the driver refuses; it is still open then
     */
    @Override
    public void close() {
        release(stream);
    }

    private boolean release(StreamIdentity inOrderOf) {
        boolean freed = leak.free(() -> Native.WORK.freeAsync(address, inOrderOf.handle.use()));
        Reference.reachabilityFence(inOrderOf);
        if (freed) {
            stream.close();
        }
        return freed;
    }

    /** Address and size. */
    @Override
    public String toString() {
        return "DeviceMemory[0x" + Long.toHexString(address) + ", " + bytes + " bytes"
                + (leak.isUsable() ? "]" : ", closed]");
    }
}
