// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import io.gpustream.internal.Native;
import io.gpustream.internal.Scratch;
import io.gpustream.internal.lifetime.Handle;
import io.gpustream.internal.lifetime.Leak;
import java.lang.ref.Reference;

/**
 * Device memory of {@link Stream#allocate}. {@link #close()} frees it in the order of the stream that allocated it:
 * after the work submitted there so far. Work of other streams must be waited for first. If it is never closed it stays
 * allocated and a warning is logged, as a device may still use it.
 */
public final class DeviceMemory extends Memory implements AutoCloseable {
    private final long address;
    private final Handle stream; // a reference of our own: the stream must exist when the memory is freed
    private final Leak leak;

    private DeviceMemory(long address, long bytes, long stream) {
        super(bytes);
        this.address = address;
        this.stream = Handle.owned(Handle.Kind.STREAM, stream, this);
        leak = Leak.ofMemory(this, "the device memory", bytes);
    }

    /** {@link Stream#allocate}. The caller keeps the handle's owner reachable. */
    static DeviceMemory allocate(Handle stream, long bytes) {
        if (bytes < 0) {
            throw new IllegalArgumentException("bytes is " + bytes);
        }
        long number = stream.use();
        Failure.check(Native.CALLS.streamRetain(number));
        Scratch scratch = Scratch.get();
        int status = Native.CALLS.mallocAsync(bytes, number, scratch.address);
        Call.check(status, Handle.Kind.STREAM, number);
        return new DeviceMemory(scratch.getLong(), bytes, number);
    }

    @Override
    public long address() {
        leak.requireUsable();
        return address;
    }

    @Override
    SegmentArena segments() {
        return null;
    }

    /** {@link Stream#free}. The caller keeps the handle's owner reachable. */
    void free(Handle inOrderOf) {
        if (!release(inOrderOf)) {
            throw new IllegalStateException("the device memory is closed");
        }
    }

    /**
     * Frees the memory in the order of the stream that allocated it. Later calls do nothing. Does not
     * block. Any thread.
     *
     * @throws GpuStreamException if the driver refuses; it is still open then
     */
    @Override
    public void close() {
        release(stream);
    }

    private boolean release(Handle inOrderOf) {
        boolean freed = leak.free(() -> Failure.check(Native.CALLS.freeAsync(address, inOrderOf.use())));
        if (freed) {
            stream.close();
        }
        Reference.reachabilityFence(this);
        return freed;
    }
}
