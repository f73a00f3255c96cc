// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import io.gpustream.internal.Constants;
import io.gpustream.internal.Native;
import io.gpustream.internal.Scratch;
import java.lang.ref.Reference;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;

/**
 * Single records of an {@link Event}: their numbers, their times, and those that are nodes of a graph. Links name that
 * class, as some versions of Javadoc do not find this one.
 */
abstract class EventTimes extends EventCompletions {
    /** Owns a number that the library has just written to the thread's scratch memory. */
    EventTimes(long number, Scratch scratch) {
        super(number, scratch);
    }

    /**
     * Returns the number of the present record, for {@link Stream#waitGeneration}: 1 for the first record, and so on.
     * Records that other code, other processes and launches of graphs make are not counted. The first call for an event
     * must not run at the same time as a record of it.
     *
     * @return the number; 0 if the event was never recorded
     */
    public long generation() {
        Scratch scratch = Scratch.get();
        int status = Native.CALLS.eventGeneration(handle.use(), scratch.address);
        Reference.reachabilityFence(this);
        Failure.check(status);
        return scratch.getLong();
    }

    /**
     * Records the event as {@link Event#record(Stream)} does. If the stream is being captured, this record becomes a node
     * of the graph, whose launches record the event.
     *
     * @param stream the stream
     * @throws GpuStreamException DEVICE_MISMATCH (bound to another device), NOT_SUPPORTED (bound to another backend, or
     *     this driver cannot capture it)
     */
    public void recordExternal(Stream stream) {
        int status = Native.CALLS.eventRecordWithFlags(
                handle.use(), Objects.requireNonNull(stream, "stream").handle.use(), Constants.EVENT_EXTERNAL);
        Reference.reachabilityFence(this);
        Reference.reachabilityFence(stream);
        Failure.check(status);
    }

    /**
     * Makes a stream wait as {@link Event#makeWait(Stream)} does. If the stream is being captured, this wait becomes a
     * node of the graph: a launch waits for the record that the event has then.
     *
     * @param stream the stream that waits
     * @throws GpuStreamException NOT_SUPPORTED (different backends, or this driver cannot capture it), PEER_LOST
     */
    public void makeWaitExternal(Stream stream) {
        int status = Native.CALLS.eventWaitWithFlags(
                handle.use(), Objects.requireNonNull(stream, "stream").handle.use(), Constants.EVENT_EXTERNAL);
        Reference.reachabilityFence(this);
        Reference.reachabilityFence(stream);
        Failure.check(status);
    }

    /**
     * Returns the time between this event's record and another's. Waits for nothing.
     *
     * @param end the later event; may be this one
     * @return nanoseconds; negative if {@code end} was recorded earlier
     * @throws GpuStreamException as {@link Event#elapsedMs}
     */
    public long elapsedNs(Event end) {
        Scratch scratch = Scratch.get();
        int status = Native.CALLS.eventElapsedNs(
                handle.use(), Objects.requireNonNull(end, "end").handle.use(), scratch.address);
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
    public CompletableFuture<Long> elapsedNsAsync(Event end) {
        CompletableFuture<Void> last = Objects.requireNonNull(end, "end").completion();
        return completion().thenCombine(last, (one, other) -> elapsedNs(end));
    }

    /**
     * Returns when the work that the present record covers was done, by the host's clock. {@link Device#calibrate} must
     * have compared the clocks before; the error covers that comparison, the driver's resolution, and drift since.
     *
     * @return the time
     * @throws GpuStreamException INVALID_ARGUMENT (the device was never calibrated), TIMING_DISABLED, NOT_RECORDED,
     *     NOT_READY (the work is not done yet)
     */
    public HostTime hostTime() {
        Scratch scratch = Scratch.get();
        int status = Native.CALLS.eventTimeNs(handle.use(), scratch.address, scratch.at(Long.BYTES));
        Reference.reachabilityFence(this);
        Failure.check(status);
        return new HostTime(scratch.getLong(), scratch.getLong(Long.BYTES));
    }
}
