// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import io.gpustream.internal.Native;
import io.gpustream.internal.Scratch;
import java.lang.ref.Reference;
import java.util.Set;

/** The part of {@link Stream} that says which stream it is. */
abstract class StreamIdentity implements AutoCloseable {
    /** What never changes while the stream lives. Final, so that a race of two threads that ask is harmless. */
    private record Facts(Device device, long id, int priority, Set<StreamFlag> flags) {}

    final Handle handle;
    private Facts facts; // asked once
    private volatile long nativeHandle; // 0: not asked yet, or a default stream's
    private int hash;

    StreamIdentity(long number, boolean owned) {
        handle = owned
                ? Handle.owned(Handle.Kind.STREAM, number, this)
                : Handle.borrowed(Handle.Kind.STREAM, number);
    }

    private Facts facts() {
        long number = handle.use();
        Facts known = facts;
        if (known == null) {
            Scratch scratch = Scratch.get();
            Failure.check(Native.STREAMS.streamDevice(number, scratch.address));
            Failure.check(Native.STREAMS.streamId(number, scratch.at(8)));
            Failure.check(Native.STREAMS.streamPriority(number, scratch.at(16)));
            Failure.check(Native.STREAMS.streamFlags(number, scratch.at(20)));
            Reference.reachabilityFence(this);
            known = new Facts(
                    Device.fromNumber(scratch.getInt(0)),
                    scratch.getLong(8),
                    scratch.getInt(16),
                    StreamFlag.of(scratch.getInt(20)));
            facts = known;
        }
        return known;
    }

    /**
     * The driver's handle, a cudaStream_t or CUstream, for other libraries: 0 for the default stream, 2 for the
     * per-thread stream. Valid while this object is open; not to be destroyed.
     */
    public long nativeHandle() {
        long number = handle.use();
        long known = nativeHandle;
        if (known == 0) {
            Scratch scratch = Scratch.get();
            int status = Native.STREAMS.streamNative(number, scratch.address);
            Reference.reachabilityFence(this);
            Failure.check(status);
            known = scratch.getLong();
            nativeHandle = known;
        }
        return known;
    }

    /** Identifies the stream within the process: 0 default stream, 2 per-thread stream, else above 2^48. */
    public long id() {
        return facts().id;
    }

    /** The device. It never changes. */
    public Device device() {
        return facts().device;
    }

    /** The effective priority: what was asked for, clamped to the device's range. Lower is higher. */
    public int priority() {
        return facts().priority;
    }

    /** The flags, unmodifiable. BLOCKING is set for every stream that joins the default stream's order. */
    public Set<StreamFlag> flags() {
        return facts().flags;
    }

    /** Whether the stream is being captured into a graph. Never breaks the capture. */
    public boolean isCapturing() {
        Scratch scratch = Scratch.get();
        int status = Native.STREAMS.streamIsCapturing(handle.use(), scratch.address);
        Reference.reachabilityFence(this);
        Failure.check(status);
        return scratch.getInt() != 0;
    }

    /** The stream as three numbers, for another language in the process. Keeps nothing alive. */
    public StreamTriple pack() {
        Scratch scratch = Scratch.get();
        int status = Native.STREAMS.streamPack(handle.use(), scratch.address);
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
        handle.close();
        Reference.reachabilityFence(this);
    }

    /** Same device and driver stream, owned or borrowed. A closed stream equals only itself. */
    @Override
    public boolean equals(Object other) {
        if (other == this) {
            return true;
        }
        if (!(other instanceof StreamIdentity stream) || !handle.isOpen() || !stream.handle.isOpen()) {
            return false;
        }
        if (stream.handle.number == handle.number) {
            return true;
        }
        Scratch scratch = Scratch.get();
        int status = Native.STREAMS.streamEqual(handle.number, stream.handle.number, scratch.address);
        Reference.reachabilityFence(this);
        Reference.reachabilityFence(stream);
        return status == 0 && scratch.getInt() != 0;
    }

    /** Stays what it was when the stream is closed. */
    @Override
    public int hashCode() {
        int known = hash;
        if (known == 0) {
            Scratch scratch = Scratch.get();
            int status = handle.isOpen() ? Native.STREAMS.streamHash(handle.number, scratch.address) : -1;
            Reference.reachabilityFence(this);
            int found = Long.hashCode(status == 0 ? scratch.getLong() : handle.number);
            known = found != 0 ? found : 1;
            hash = known;
        }
        return known;
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
