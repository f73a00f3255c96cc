// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import io.gpustream.internal.Native;
import io.gpustream.internal.Scratch;
import java.lang.ref.Reference;
import java.util.Set;

/** The part of {@link Stream} that says which stream it is. */
abstract class StreamIdentity implements AutoCloseable {
    final Handle handle;
    // What never changes while the stream lives is asked once. The values are the library's, so races are harmless.
    private Device device;
    private int hash;

    StreamIdentity(long number, boolean owned) {
        handle = owned
                ? Handle.owned("the stream", number, Native.STREAMS::streamDestroy, this)
                : Handle.borrowed("the stream", number);
    }

    /**
     * The driver's handle, a cudaStream_t or CUstream, for other libraries: 0 for the default stream, 2 for the
     * per-thread stream. Valid while this object is open; not to be destroyed.
     */
    public long nativeHandle() {
        Scratch scratch = Scratch.get();
        int status = Native.STREAMS.streamNative(handle.get(), scratch.address);
        Reference.reachabilityFence(this);
        Failure.check(status);
        return scratch.getLong();
    }

    /** Identifies the stream within the process: 0 default stream, 2 per-thread stream, else above 2^48. */
    public long id() {
        Scratch scratch = Scratch.get();
        int status = Native.STREAMS.streamId(handle.get(), scratch.address);
        Reference.reachabilityFence(this);
        Failure.check(status);
        return scratch.getLong();
    }

    /** The device. It never changes. */
    public Device device() {
        Device known = device;
        long number = handle.get();
        if (known == null) {
            Scratch scratch = Scratch.get();
            int status = Native.STREAMS.streamDevice(number, scratch.address);
            Reference.reachabilityFence(this);
            Failure.check(status);
            known = Device.fromNumber(scratch.getInt());
            device = known;
        }
        return known;
    }

    /** The effective priority: what was asked for, clamped to the device's range. Lower is higher. */
    public int priority() {
        Scratch scratch = Scratch.get();
        int status = Native.STREAMS.streamPriority(handle.get(), scratch.address);
        Reference.reachabilityFence(this);
        Failure.check(status);
        return scratch.getInt();
    }

    /** The flags. BLOCKING is set for every stream that joins the default stream's order. */
    public Set<StreamFlag> flags() {
        Scratch scratch = Scratch.get();
        int status = Native.STREAMS.streamFlags(handle.get(), scratch.address);
        Reference.reachabilityFence(this);
        Failure.check(status);
        return StreamFlag.of(scratch.getInt());
    }

    /** Whether the stream is being captured into a graph. Never breaks the capture. */
    public boolean isCapturing() {
        Scratch scratch = Scratch.get();
        int status = Native.STREAMS.streamIsCapturing(handle.get(), scratch.address);
        Reference.reachabilityFence(this);
        Failure.check(status);
        return scratch.getInt() != 0;
    }

    /** The stream as three numbers, for another language in the process. Keeps nothing alive. */
    public StreamTriple pack() {
        Scratch scratch = Scratch.get();
        int status = Native.STREAMS.streamPack(handle.get(), scratch.address);
        Reference.reachabilityFence(this);
        Failure.check(status);
        return new StreamTriple(scratch.getLong(), scratch.getInt(8), scratch.getInt(12));
    }

    /** Whether {@link #close()} is still to come. Borrowed objects are always open. */
    public boolean isOpen() {
        return handle.isOpen();
    }

    /** Gives the reference back; again, or on a borrowed object, it does nothing. Never throws. Any thread. */
    @Override
    public void close() {
        if (handle.isOwned() && handle.isOpen()) {
            rememberHash();
            handle.close();
        }
    }

    /** Same device and driver stream, owned or borrowed. A closed stream equals only what names the same reference. */
    @Override
    public boolean equals(Object other) {
        if (!(other instanceof StreamIdentity stream)) {
            return false;
        }
        if (stream.handle.number == handle.number) {
            return true;
        }
        if (!handle.isOpen() || !stream.handle.isOpen()) {
            return false;
        }
        Scratch scratch = Scratch.get();
        int status = Native.STREAMS.streamEqual(handle.number, stream.handle.number, scratch.address);
        Reference.reachabilityFence(this);
        Reference.reachabilityFence(stream);
        return status == 0 && scratch.getInt() != 0;
    }

    @Override
    public int hashCode() {
        if (hash == 0) {
            rememberHash();
        }
        return hash;
    }

    private void rememberHash() {
        if (hash == 0) {
            Scratch scratch = Scratch.get();
            int status = Native.STREAMS.streamHash(handle.number, scratch.address);
            Reference.reachabilityFence(this);
            int found = Long.hashCode(status == 0 ? scratch.getLong() : handle.number);
            hash = found != 0 ? found : 1;
        }
    }

    /** Device, id and priority; does not count as giving the native handle out. */
    @Override
    public String toString() {
        try {
            return "Stream[device=" + device() + ", id=0x" + Long.toHexString(id()) + ", priority=" + priority() + "]";
        } catch (IllegalStateException | GpuStreamException gone) {
            return "Stream[closed]";
        }
    }
}
