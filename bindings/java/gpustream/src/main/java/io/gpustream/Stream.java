// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import io.gpustream.internal.Native;
import io.gpustream.internal.Scratch;
import java.lang.ref.Reference;
import java.util.Objects;

/**
 * A stream: an ordered queue of device work.
 *
 * <p><b>Ownership.</b> Streams that were created, retained, unpacked or wrapped own a reference, which {@link #close()}
 * gives back; if that is forgotten, it happens when the object is unreachable. Work already submitted is still done.
 * {@link #current}, {@link #defaultStream} and {@link #perThread} return borrowed objects, whose close does nothing.
 *
 * <p><b>Threads.</b> Everything may be called from any thread at the same time. Methods of a closed stream throw {@link
 * IllegalStateException}; a call that another thread's close overtakes throws {@link GpuStreamException} with
 * INVALID_HANDLE. What is current belongs to the operating system's thread: setting it is refused on virtual threads
 * (NOT_PERMITTED). Methods that wait keep the carrier of a virtual thread occupied; {@link #completion()} does not.
 *
 * <p><b>Errors.</b> Beside what a method lists, each that asks the driver may throw {@link GpuStreamException} with
 * DRIVER, OUT_OF_MEMORY, SYSTEM, CAPTURING, STICKY, CONTEXT_LOST or SHUTDOWN; CUDA may report errors of earlier
 * asynchronous work from any call. null arguments are a {@link NullPointerException} that names the parameter.
 */
public sealed class Stream extends StreamSegments permits ExternalStream {
    Stream(long number, boolean owned) {
        super(number, owned);
    }

    // ---- making ----

    /** Settings for a new stream. */
    public static StreamBuilder builder() {
        return new StreamBuilder();
    }

    /** A new stream on the current device with the default settings. */
    public static Stream create() {
        return builder().build();
    }

    /** A new stream on a device with the default settings. */
    public static Stream create(Device device) {
        return builder().device(device).build();
    }

    /**
     * Wraps a raw stream handle of the driver that stays the caller's and must be alive until this object is closed. A
     * handle that is one of gpustream's own gives that stream. 0 and 1 mean the default stream, 2 the per-thread one.
     *
     * @param nativeHandle a cudaStream_t or CUstream
     * @param device the device it is expected on
     * @throws GpuStreamException INVALID_HANDLE (not a stream), DEVICE_MISMATCH (of another device), INVALID_DEVICE,
     *     CAPTURING (asking would break its capture)
     */
    public static ExternalStream fromNative(long nativeHandle, Device device) {
        return ExternalStream.of(nativeHandle, device);
    }

    /**
     * The stream that three numbers name. It must still be alive.
     *
     * @throws GpuStreamException INVALID_HANDLE (no live stream has that id), DEVICE_MISMATCH, INVALID_DEVICE
     */
    public static Stream unpack(StreamTriple triple) {
        Objects.requireNonNull(triple, "triple");
        Scratch scratch = Scratch.get();
        scratch.putLong(8, triple.id()).putInt(16, triple.deviceIndex()).putInt(20, triple.deviceType());
        Failure.check(Native.STREAMS.streamUnpack(scratch.at(8), scratch.address));
        return new Stream(scratch.getLong(), true);
    }

    /** Another object for the same stream, with a reference of its own. Makes an owner out of a borrowed object. */
    public Stream retain() {
        long number = handle.use();
        Failure.check(Native.STREAMS.streamRetain(number));
        Reference.reachabilityFence(this);
        return new Stream(number, true);
    }

    // ---- default and current streams ----

    /** The current device's default ("null") stream: borrowed. */
    public static Stream defaultStream() {
        return CurrentStreams.defaultStream(Native.DEVICE_CURRENT);
    }

    /** A device's default ("null") stream: borrowed. Work in it waits for that of all blocking streams. */
    public static Stream defaultStream(Device device) {
        return CurrentStreams.defaultStream(Device.numberOf(device));
    }

    /** A device's per-thread default stream: borrowed; in each call the calling thread's own. */
    public static Stream perThread(Device device) {
        return CurrentStreams.perThread(Device.numberOf(device));
    }

    /**
     * The calling thread's current stream on the current device: borrowed until this thread changes it; {@link #retain}
     * to keep it. On a virtual thread the carrier's, which nothing in Java changes. Allocates nothing while the answer
     * stays the same.
     */
    public static Stream current() {
        return CurrentStreams.current(Native.DEVICE_CURRENT);
    }

    /** The calling thread's current stream on a device: borrowed until this thread changes it. */
    public static Stream current(Device device) {
        return CurrentStreams.current(Device.numberOf(device));
    }

    /**
     * Makes this the calling thread's current stream for its device, and that device current. See {@link StreamScope}
     * for a change that ends by itself.
     *
     * @throws GpuStreamException NOT_PERMITTED on a virtual thread
     */
    public void setCurrent() {
        CurrentStreams.set(this);
    }

    /**
     * As {@link #setCurrent()}; returns the stream that it replaces, owned.
     *
     * @throws GpuStreamException NOT_PERMITTED on a virtual thread
     */
    public Stream exchangeCurrent() {
        return CurrentStreams.exchange(this);
    }

    /** Opens a scope in which this stream is current: {@code try (var scope = stream.scope()) {...}}. */
    public StreamScope scope() {
        return StreamScope.open(this);
    }

    // ---- order ----

    /**
     * Whether all work submitted is done. Does not block and allocates nothing.
     *
     * @throws GpuStreamException CAPTURING while the stream is captured
     */
    public boolean query() {
        Scratch scratch = Scratch.get();
        int status = Native.STREAMS.streamQuery(handle.use(), scratch.address);
        Reference.reachabilityFence(this);
        Failure.check(status);
        return scratch.getInt() != 0;
    }

    /**
     * Waits until all work submitted before the call is done. Blocks the thread, and the carrier of a virtual one; an
     * interrupt has no effect until it returns. The stream may be closed meanwhile.
     *
     * @throws GpuStreamException SYNC_FORBIDDEN ({@link SyncDebugMode#ERROR}), CAPTURING
     */
    public void synchronize() {
        int status = Native.STREAMS.streamSynchronize(handle.use());
        Reference.reachabilityFence(this);
        Failure.check(status);
    }

    /**
     * Work submitted to this stream later starts after what the event's present record covers. No effect if it was
     * never recorded. Does not block and allocates nothing. The event may be closed right after.
     *
     * @throws GpuStreamException NOT_SUPPORTED (different backends), PEER_LOST
     */
    public void waitEvent(Event event) {
        int status = Native.STREAMS.streamWaitEvent(
                handle.use(), Objects.requireNonNull(event, "event").handle.use());
        Reference.reachabilityFence(this);
        Reference.reachabilityFence(event);
        Failure.check(status);
    }

    /**
     * Work submitted to this stream later starts after all work submitted to the other one so far. Does not block.
     *
     * @throws GpuStreamException NOT_SUPPORTED (different backends)
     */
    public void waitStream(Stream other) {
        int status = Native.STREAMS.streamWaitStream(
                handle.use(), Objects.requireNonNull(other, "other").handle.use());
        Reference.reachabilityFence(this);
        Reference.reachabilityFence(other);
        Failure.check(status);
    }

    /** Records an event in this stream: {@link Event#record(Stream)} the other way round. */
    public void recordEvent(Event event) {
        int status = Native.STREAMS.streamRecordEvent(
                handle.use(), Objects.requireNonNull(event, "event").handle.use());
        Reference.reachabilityFence(this);
        Reference.reachabilityFence(event);
        Failure.check(status);
    }

    /** Records a new event without timing in this stream. */
    public Event recordEvent() {
        Event event = Event.create();
        try {
            recordEvent(event);
        } catch (RuntimeException failed) {
            event.close();
            throw failed;
        }
        return event;
    }
}
