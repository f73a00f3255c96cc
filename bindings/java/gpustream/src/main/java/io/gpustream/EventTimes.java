// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import io.gpustream.internal.Native;
import io.gpustream.internal.Scratch;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;

/** First records of an {@link Event}, and times between records. Only events are one. */
public sealed interface EventTimes permits Event {
    /**
     * Records the event as {@link Event#record(Stream)} does, unless it has a record already. Threads must not race for the
     * first record.
     *
     * @param stream the stream
     * @return whether it was recorded now
     * @throws GpuStreamException as {@link Event#record(Stream)}
     */
    default boolean recordOnce(Stream stream) {
        HandleOwner.numberOf(stream, "stream"); // also where it is not used
        boolean first = ((Event) this).info("recorded") == 0;
        if (first) {
            ((Event) this).record(stream);
        }
        return first;
    }

    /**
     * Records the event in the calling thread's current stream, as {@link Event#recordOnce(Stream)} does.
     *
     * @return whether it was recorded now
     */
    default boolean recordOnce() {
        boolean first = ((Event) this).info("recorded") == 0;
        if (first) {
            ((Event) this).record();
        }
        return first;
    }

    /**
     * Returns the time between this event's record and another's. Waits for nothing.
     *
     * @param end the later event; may be this one
     * @return nanoseconds; negative if {@code end} was recorded earlier
     * @throws GpuStreamException as {@link Event#elapsedMs}
     */
    default long elapsedNs(Event end) {
        return Math.round(((Event) this).elapsedMs(end) * 1e6);
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
        Failure.check(Native.CALLS.eventTimeNs(((Event) this).handle.use(), scratch.address, scratch.at(Long.BYTES)), this);
        return new HostTime(scratch.getLong(), scratch.getLong(Long.BYTES));
    }
}
