// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import io.gpustream.internal.Constants;
import io.gpustream.internal.Native;
import io.gpustream.internal.Scratch;
import io.gpustream.internal.lifetime.Handle;
import java.lang.ref.Reference;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;

/** Single records of an {@link Event}: numbers, times, and those that are nodes of a graph. Only events are one. */
public sealed interface EventTimes permits Event {
    private Handle held() {
        return ((EventNatives) this).handle;
    }

    /**
     * Returns the number of the present record, for {@link Stream#waitGeneration}: 1 for the first record, and so on.
     * Records that other code, other processes and launches of graphs make are not counted. The first call for an event
     * must not run at the same time as a record of it.
     *
     * @return the number; 0 if the event was never recorded
     */
    default long generation() {
        Scratch scratch = Scratch.get();
        int status = Native.CALLS.eventGeneration(held().use(), scratch.address);
        Reference.reachabilityFence(this);
        Failure.check(status);
        return scratch.getLong();
    }

    /**
     * Records the event as {@link Event#record(Stream)} does, unless it has a record already. Threads must not race for the
     * first record.
     *
     * @param stream the stream
     * @return whether it was recorded now
     * @throws GpuStreamException as {@link Event#record(Stream)}
     */
    default boolean recordOnce(Stream stream) {
        Objects.requireNonNull(stream, "stream");
        if (generation() != 0) {
            return false;
        }
        ((Event) this).record(stream);
        return true;
    }

    /**
     * Records the event in the calling thread's current stream, as {@link Event#recordOnce(Stream)} does.
     *
     * @return whether it was recorded now
     */
    default boolean recordOnce() {
        if (generation() != 0) {
            return false;
        }
        ((Event) this).record();
        return true;
    }

    /**
     * Records the event as {@link Event#record(Stream)} does. If the stream is being captured, this record becomes a node
     * of the graph, whose launches record the event.
     *
     * @param stream the stream
     * @throws GpuStreamException DEVICE_MISMATCH (bound to another device), NOT_SUPPORTED (bound to another backend, or
     *     this driver cannot capture it)
     */
    default void recordExternal(Stream stream) {
        int status = Native.CALLS.eventRecordWithFlags(
                held().use(), Objects.requireNonNull(stream, "stream").handle.use(), Constants.EVENT_EXTERNAL);
        Reference.reachabilityFence(this);
        Reference.reachabilityFence(stream);
        Failure.check(status);
    }

    /** Records the event in the calling thread's current stream, as {@link Event#recordExternal(Stream)} does. */
    default void recordExternal() {
        int status = Native.CALLS.eventRecordWithFlags(
                held().use(), Constants.STREAM_CURRENT, Constants.EVENT_EXTERNAL);
        Reference.reachabilityFence(this);
        Failure.check(status);
    }

    /**
     * Makes a stream wait as {@link Event#makeWait(Stream)} does. If the stream is being captured, this wait becomes a
     * node of the graph: a launch waits for the record that the event has then.
     *
     * @param stream the stream that waits
     * @throws GpuStreamException NOT_SUPPORTED (different backends, or this driver cannot capture it), PEER_LOST
     */
    default void makeWaitExternal(Stream stream) {
        int status = Native.CALLS.eventWaitWithFlags(
                held().use(), Objects.requireNonNull(stream, "stream").handle.use(), Constants.EVENT_EXTERNAL);
        Reference.reachabilityFence(this);
        Reference.reachabilityFence(stream);
        Failure.check(status);
    }

    /** Makes the calling thread's current stream wait, as {@link Event#makeWaitExternal(Stream)} does. */
    default void makeWaitExternal() {
        int status =
                Native.CALLS.eventWaitWithFlags(held().use(), Constants.STREAM_CURRENT, Constants.EVENT_EXTERNAL);
        Reference.reachabilityFence(this);
        Failure.check(status);
    }

    /**
     * Returns the time between this event's record and another's. Waits for nothing.
     *
     * @param end the later event; may be this one
     * @return nanoseconds; negative if {@code end} was recorded earlier
     * @throws GpuStreamException as {@link Event#elapsedMs}
     */
    default long elapsedNs(Event end) {
        Scratch scratch = Scratch.get();
        int status = Native.CALLS.eventElapsedNs(
                held().use(), Objects.requireNonNull(end, "end").handle.use(), scratch.address);
        Reference.reachabilityFence(this);
        Reference.reachabilityFence(end);
        Failure.check(status);
        return scratch.getLong();
    }

    /**
     * Returns a future for {@link #elapsedNs}, complete when both records are done. Both events must stay open until
     * then.
     *
     * @param end the later event; may be this one
     * @return nanoseconds; completes exceptionally as {@link Event#completion()}, or with what {@link #elapsedNs} throws
     */
    default CompletableFuture<Long> elapsedNsAsync(Event end) {
        CompletableFuture<Void> last = Objects.requireNonNull(end, "end").completion();
        return ((Event) this).completion().thenCombine(last, (one, other) -> elapsedNs(end));
    }

    /**
     * Returns when the work that the present record covers was done, by the host's clock. {@link Device#calibrate} must
     * have compared the clocks before; the error covers that comparison, the driver's resolution, and drift since.
     *
     * @return the time
     * @throws GpuStreamException INVALID_ARGUMENT (the device was never calibrated), TIMING_DISABLED, NOT_RECORDED,
     *     NOT_READY (the work is not done yet)
     */
    default HostTime hostTime() {
        Scratch scratch = Scratch.get();
        int status = Native.CALLS.eventTimeNs(held().use(), scratch.address, scratch.at(Long.BYTES));
        Reference.reachabilityFence(this);
        Failure.check(status);
        return new HostTime(scratch.getLong(), scratch.getLong(Long.BYTES));
    }
}
