// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import io.gpustream.internal.Constants;
import io.gpustream.internal.Native;
import io.gpustream.internal.Scratch;
import io.gpustream.internal.TimelineValues;
import io.gpustream.internal.lifetime.Handle;
import java.lang.ref.Reference;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;

/**
 * A number that only grows. Streams and threads signal it, which raises it to a value, and wait until it has reached
 * one. A wait may come before its signal is submitted, or known. Streams of all devices of the timeline's backend may use
 * it. Values are 0 to 2^63 - 2.
 *
 * <pre>{@code
 * try (Timeline ready = Timeline.create()) {
 *     ready.makeWait(1, consumer);      // first: the consumer's later work waits
 *     ready.signal(1, producer);        // later, when the producer's work so far is done
 * }
 * }</pre>
 *
 * <p>Ownership, threads and errors are as for {@link Stream}; every object is owned. Closing the last object of a
 * timeline, or its becoming unreachable, lets streams that wait for it go on although their waits were not met; signals
 * that were submitted still happen. Once a timeline is aborted, every method but {@link #retain} throws with the status
 * of the abort.
 */
public final class Timeline extends HandleOwner {
    private Timeline(long number) {
        super(Handle.Kind.TIMELINE, number, Scratch.get());
    }

    private static Timeline create(int device, long initial, int flags) {
        return new Timeline(Call.forLong(out -> Native.CALLS.timelineCreate(device, initial, flags, out)));
    }

    /**
     * {@return a new timeline of the current device's backend, at 0}
     *
     * @throws GpuStreamException NOT_SUPPORTED (the driver cannot register host memory)
     */
    public static Timeline create() {
        return create(Constants.DEVICE_CURRENT, 0, 0);
    }

    /**
     * {@return a new timeline}
     *
     * @param device in whose name its memory is registered
     * @param initial its first value
     * @throws GpuStreamException INVALID_ARGUMENT (no value of a timeline), INVALID_DEVICE, NOT_SUPPORTED as above
     */
    public static Timeline create(Device device, long initial) {
        return create(Device.numberOf(device), initial, 0);
    }

    /**
     * Creates a timeline for which streams wait only after the signal was submitted. A signal is then one driver call less, and
     * {@link #value} asks the driver, so it cannot be read in host functions.
     *
     * @param device in whose name its memory is registered
     * @param initial its first value
     * @return the timeline
     * @throws GpuStreamException INVALID_ARGUMENT (no value of a timeline), INVALID_DEVICE, NOT_SUPPORTED (the driver cannot
     *     register host memory)
     */
    public static Timeline createSignalFirst(Device device, long initial) {
        return create(Device.numberOf(device), initial, Constants.TIMELINE_SIGNAL_FIRST);
    }

    /**
     * Returns an object for a timeline of the library that C or another language has made, with a reference of its own.
     *
     * @param number a {@code gs_timeline_t}, as a number
     * @return the timeline
     * @throws GpuStreamException INVALID_HANDLE (no live timeline has that number)
     */
    public static Timeline fromHandle(long number) {
        Failure.check(Native.CALLS.timelineRetain(number));
        return new Timeline(number);
    }

    /** {@return another object for the same timeline, with a reference of its own} */
    public Timeline retain() {
        Timeline other = fromHandle(handle.use());
        Reference.reachabilityFence(this);
        return other;
    }

    /** {@return the value now} What was done before its signal is visible to the caller. */
    public long value() {
        return Call.forLong(out -> Native.CALLS.timelineValue(handle.use(), out), this);
    }

    /**
     * Raises the timeline when the work submitted to a stream so far is done. Signals happen in the order of their values:
     * if another stream has a smaller one to come, this one waits for it. Allocates nothing.
     *
     * @param value above the timeline's
     * @param stream the stream that signals
     * @throws GpuStreamException INVALID_ARGUMENT (the value is not above the timeline's, or was submitted already, or a
     *     larger one is submitted that could happen first), DEADLOCK (a circle of streams would wait for each other; the
     *     message names them; nothing was submitted), NOT_SUPPORTED (different backends, or the device has no stream
     *     memory operations), CAPTURING while the stream is captured, which stays intact
     */
    public void signal(long value, Stream stream) {
        Failure.check(Native.CALLS.streamSignalTimeline(numberOf(stream, "stream"), handle.use(), value), this, stream);
    }

    /**
     * Raises the timeline from the calling thread's current stream, as {@link #signal(long, Stream)} does.
     *
     * @param value above the timeline's
     */
    public void signal(long value) {
        Failure.check(Native.CALLS.streamSignalTimeline(Constants.STREAM_CURRENT, handle.use(), value), this);
    }

    /**
     * Makes work submitted to a stream from now on wait until the timeline has reached a value. The signal may come later,
     * from a stream or a thread. If the timeline is aborted or closed first, the stream goes on nevertheless. On CUDA a
     * stream that waits before the signal is submitted may hold up others that share its hardware queue. Allocates
     * nothing.
     *
     * @param value which
     * @param stream the stream that waits
     * @throws GpuStreamException INVALID_ARGUMENT (no value of a timeline), NOT_SUPPORTED (different backends, or the
     *     device has no stream memory operations, or none of 64 bits and the value is 2^31 or more ahead), CAPTURING
     *     while the stream is captured, which stays intact
     */
    public void makeWait(long value, Stream stream) {
        Failure.check(Native.CALLS.streamWaitTimeline(numberOf(stream, "stream"), handle.use(), value), this, stream);
    }

    /**
     * Makes the calling thread's current stream wait, as {@link #makeWait(long, Stream)} does.
     *
     * @param value which
     */
    public void makeWait(long value) {
        Failure.check(Native.CALLS.streamWaitTimeline(Constants.STREAM_CURRENT, handle.use(), value), this);
    }

    /**
     * Raises the timeline at once, on this thread; also in functions of {@link Stream#launchHost}.
     *
     * @param value above the timeline's
     * @throws GpuStreamException INVALID_ARGUMENT (the value is not above the timeline's, or would overtake a signal that
     *     is submitted to a stream)
     */
    public void set(long value) {
        Failure.check(Native.CALLS.timelineSignal(handle.use(), value), this);
    }

    /**
     * Waits until the timeline has reached a value. Blocks the thread, and the carrier of a virtual one, in the way of
     * {@link Library#setWaitMode}, sleeping while no signal is submitted; interrupts have no effect until it returns.
     *
     * @param value which
     * @throws GpuStreamException INVALID_ARGUMENT (no value of a timeline), INVALID_HANDLE (the timeline ended
     *     during the wait), SYNC_FORBIDDEN ({@link SyncDebugMode#ERROR} with {@link SyncDebugScope#ALL})
     */
    public void synchronize(long value) {
        Waits.blocking(
                "Timeline.synchronize",
                handle.use(),
                number -> Native.CALLS.timelineSynchronize(number, value, -1),
                this);
    }

    /**
     * Waits until the timeline has reached a value, for a limited time and until the thread is interrupted. A virtual
     * thread leaves its carrier while it waits. A limit that passes, or an interrupt, changes nothing.
     *
     * @param value which
     * @param limit the longest wait, not negative; zero only asks
     * @return whether the value is reached
     * @throws InterruptedException if the thread is interrupted, before or while it waits
     * @throws GpuStreamException as {@link #synchronize(long)}
     */
    public boolean synchronize(long value, Duration limit) throws InterruptedException {
        long number = handle.use();
        boolean reached = Waits.inSlices(
                "Timeline.synchronize", number, limit, nanos -> Native.CALLS.timelineSynchronize(number, value, nanos));
        Reference.reachabilityFence(this);
        return reached;
    }

    /**
     * Returns a future for a value; otherwise as {@link Stream#completion()}. Neither a stream nor the caller waits for it,
     * but one daemon thread for all futures of a timeline. The future keeps this object from being closed by the reaper.
     *
     * @param value which
     * @return completes when the timeline has reached the value; exceptionally with the status of an abort, with
     *     INVALID_HANDLE if the last object of the timeline is closed, or with SHUTDOWN if the virtual machine ends first
     * @throws GpuStreamException INVALID_ARGUMENT (no value of a timeline), SHUTDOWN while the virtual machine ends
     */
    public CompletableFuture<Void> completion(long value) {
        if (value < 0 || value == Long.MAX_VALUE) {
            throw Failure.of(
                    Status.INVALID_ARGUMENT,
                    "values of timelines are below 2^63 - 1; 0x" + Long.toHexString(value) + " is not");
        }
        long number = handle.use();
        return Completion.of(
                entry -> TimelineValues.add(number, value, entry, this),
                entry -> TimelineValues.cancel(number, value, entry));
    }

    /** Ends the timeline with ABORTED, as {@link #abort(Status)} does. */
    public void abort() {
        abort(Status.ABORTED);
    }

    /**
     * Ends the timeline with a failure: streams that wait for it go on, although their waits were not met; threads and
     * futures that wait, and all later calls, fail with the status. A second abort changes nothing.
     *
     * @param status a failure, but not TIMEOUT
     * @throws GpuStreamException INVALID_ARGUMENT (no such status)
     */
    public void abort(Status status) {
        Failure.check(Native.CALLS.timelineAbort(handle.use(), Objects.requireNonNull(status, "status").code()), this);
    }
}
