// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import io.gpustream.internal.Constants;
import io.gpustream.internal.Native;
import io.gpustream.internal.Scratch;
import java.lang.ref.Reference;
import java.util.Objects;
import java.util.Set;

/**
 * A stream: an ordered queue of device work.
 *
 * <p><b>Ownership.</b> An owned object holds a reference, which {@link #close()} gives back, or the reaper thread once
 * the object is unreachable. Work already submitted is still done. Closing a borrowed object does nothing.
 *
 * <p><b>Threads.</b> Any thread may call any method at any time. Methods of a closed stream throw {@link
 * IllegalStateException}; if another thread closes it during a call, the call succeeds or throws
 * {@link GpuStreamException} with INVALID_HANDLE. What is current belongs to the thread of the operating system:
 * changing it is refused on virtual threads (NOT_PERMITTED).
 *
 * <p><b>Blocking.</b> No method waits for device work unless it says so. A device's first use may take seconds on CUDA.
 *
 * <p><b>Errors.</b> Besides the statuses a method lists, it throws {@link GpuStreamException} with those that class
 * lists for all methods. A null argument is a {@link NullPointerException} that names the parameter.
 */
public sealed class Stream extends StreamNatives
        implements AutoCloseable,
                NativeParameter,
                StreamWork,
                StreamCompletions,
                StreamCaptures,
                StreamSegments
        permits ExternalStream {
    private StreamFacts facts; // asked once
    private int hash;

    Stream(long number, boolean owned) {
        super(number, owned);
    }

    Stream(long number, Scratch scratch) {
        super(number, scratch);
    }

    /** {@return settings for a new stream} */
    public static StreamBuilder builder() {
        return new StreamBuilder();
    }

    /**
     * {@return a new stream on the current device with the default settings}
     *
     * @throws GpuStreamException as {@link StreamBuilder#build()}
     */
    public static Stream create() {
        return builder().build();
    }

    /**
     * {@return a new stream with the default settings}
     *
     * @param device where
     * @throws GpuStreamException as {@link StreamBuilder#build()}
     */
    public static Stream create(Device device) {
        return builder().device(device).build();
    }

    /**
     * Wraps a raw stream handle of the driver, which stays the caller's: {@link ExternalStream#of}.
     *
     * @param nativeHandle a cudaStream_t or CUstream
     * @param device the device it is expected on
     * @return the stream, owned
     * @throws GpuStreamException as there
     */
    public static ExternalStream fromNative(long nativeHandle, Device device) {
        return ExternalStream.of(nativeHandle, device);
    }

    /**
     * Returns the stream that three numbers name. It must still be alive.
     *
     * @param triple from {@link #pack()}, in any language of this process
     * @return the stream, owned
     * @throws GpuStreamException INVALID_HANDLE (no live stream has that id), DEVICE_MISMATCH, INVALID_DEVICE
     */
    public static Stream unpack(StreamTriple triple) {
        return new Stream(StreamFacts.unpack(Objects.requireNonNull(triple, "triple")), true);
    }

    /** {@return another object for the same stream, with a reference of its own, also of a borrowed one} */
    public Stream retain() {
        Failure.check(Native.CALLS.streamRetain(handle.use()), this);
        return new Stream(handle.number, true);
    }

    /** {@return the current device's default ("null") stream, borrowed} */
    public static Stream defaultStream() {
        return new Stream(Call.forLong(out -> Native.CALLS.defaultStream(Constants.DEVICE_CURRENT, out)), false);
    }

    /**
     * {@return a device's default ("null") stream, borrowed; its work waits for earlier work of all blocking streams}
     *
     * @param device the device
     * @throws GpuStreamException INVALID_DEVICE
     */
    public static Stream defaultStream(Device device) {
        int number = Device.numberOf(device);
        return new Stream(Call.forLong(out -> Native.CALLS.defaultStream(number, out)), false);
    }

    /**
     * {@return a device's per-thread stream, borrowed: in each call it means the calling thread's own}
     *
     * @param device the device
     * @throws GpuStreamException INVALID_DEVICE
     */
    public static Stream perThread(Device device) {
        int number = Device.numberOf(device);
        return new Stream(Call.forLong(out -> Native.CALLS.perThreadStream(number, out)), false);
    }

    /**
     * Returns the current device's current stream. Allocates nothing while the answer stays the same.
     *
     * @return the thread's (a virtual one's carrier's) stream, borrowed until it changes; {@link #retain} it to keep it
     */
    public static Stream current() {
        return currentOf(Constants.DEVICE_CURRENT);
    }

    /**
     * {@return the calling thread's current stream of a device, as {@link #current()}}
     *
     * @param device the device
     * @throws GpuStreamException INVALID_DEVICE
     */
    public static Stream current(Device device) {
        return currentOf(Device.numberOf(device));
    }

    private static Stream currentOf(int device) {
        Scratch scratch = Scratch.get();
        Failure.check(Native.CALLS.currentStream(device, scratch.address));
        long number = scratch.getLong();
        // No number is ever given to a second stream, so what an object knows of its stream stays right.
        Stream last = (Stream) scratch.lastCurrent;
        if (last == null || last.handle.number != number) {
            last = new Stream(number, false);
            scratch.lastCurrent = last;
        }
        return last;
    }

    /**
     * Makes this the thread's current stream of its device, and that device current. See {@link #scope()} for a block.
     *
     * @throws GpuStreamException NOT_PERMITTED on a virtual thread
     */
    public void setCurrent() {
        Failure.requirePlatformThread("Stream.setCurrent");
        Failure.check(Native.CALLS.setCurrentStream(handle.use()), this);
    }

    /**
     * {@return the stream that was current on that device, owned; otherwise as {@link #setCurrent()}}
     *
     * @throws GpuStreamException NOT_PERMITTED on a virtual thread
     */
    public Stream exchangeCurrent() {
        Failure.requirePlatformThread("Stream.exchangeCurrent");
        return new Stream(Call.forLong(out -> Native.CALLS.exchangeCurrentStream(handle.use(), out), this), true);
    }

    /**
     * Opens a scope in which this stream is current: {@code try (var scope = stream.scope()) {...}}.
     *
     * @return the scope, to be closed by this thread
     * @throws GpuStreamException as {@link StreamScope#open}
     */
    public StreamScope scope() {
        return StreamScope.open(this);
    }

    private StreamFacts facts() {
        long number = handle.use();
        StreamFacts known = facts;
        if (known == null) {
            known = StreamFacts.of(number);
            Reference.reachabilityFence(this);
            facts = known;
        }
        return known;
    }

    /** {@return a number unique within the process: 0 default stream, 2 per-thread stream, else above 2^48} */
    public long id() {
        return facts().id();
    }

    /** {@return the device; it never changes} */
    public Device device() {
        return facts().device();
    }

    /** {@return the effective priority: what was asked for, clamped to the device's range; lower is higher} */
    public int priority() {
        return facts().priority();
    }

    /** {@return the flags, unmodifiable; BLOCKING for every stream that joins the default stream's order} */
    public Set<StreamFlag> flags() {
        return facts().flags();
    }

    /** {@return the stream as three numbers, for another language in the process; keeps nothing alive} */
    public StreamTriple pack() {
        StreamTriple triple = StreamFacts.pack(handle.use());
        Reference.reachabilityFence(this);
        return triple;
    }

    /** {@return whether it is not closed; borrowed objects are always open} */
    public boolean isOpen() {
        return handle.isOpen();
    }

    /** Releases the reference. Later calls, and all on a borrowed object, do nothing. Never throws. */
    @Override
    public void close() {
        handle.close();
        Reference.reachabilityFence(this);
    }

    /** {@return whether both name the same driver stream of the same device; a closed stream equals only itself} */
    @Override
    public boolean equals(Object other) {
        if (other == this) {
            return true;
        }
        if (!(other instanceof Stream stream) || !handle.isOpen() || !stream.handle.isOpen()) {
            return false;
        }
        if (stream.handle.number == handle.number) {
            return true;
        }
        boolean same = StreamFacts.same(handle.number, stream.handle.number);
        Reference.reachabilityFence(this);
        Reference.reachabilityFence(stream);
        return same;
    }

    /** {@return a hash that stays what it was when the stream is closed} */
    @Override
    public int hashCode() {
        int known = hash;
        if (known == 0) {
            known = StreamFacts.hash(handle);
            Reference.reachabilityFence(this);
            hash = known;
        }
        return known;
    }

    /** {@return device, id and priority; does not count as giving the native handle out} */
    @Override
    public String toString() {
        try {
            return "Stream[device=" + device() + ", id=0x" + Long.toHexString(id()) + ", priority=" + priority() + "]";
        } catch (IllegalStateException | GpuStreamException gone) {
            return "Stream[closed]";
        }
    }
}
