// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import io.gpustream.internal.Completions;
import io.gpustream.internal.Native;
import io.gpustream.internal.Scratch;
import io.gpustream.internal.lifetime.Handle;
import java.lang.ref.Reference;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** The ways to await the present record of an {@link Event}. Only events are one. */
public sealed interface EventCompletions permits Event {
    private Handle held() {
        return ((EventNatives) this).handle;
    }

    /**
     * Returns whether the work that the present record covers is done. Neither blocks nor allocates.
     *
     * @return true if it is done, or the event was never recorded
     * @throws GpuStreamException CAPTURING (recorded in a capture, which stays intact), PEER_LOST (its other process is
     *     gone)
     */
    default boolean query() {
        Scratch scratch = Scratch.get();
        Failure.check(Native.CALLS.eventQuery(held().use(), scratch.address), this);
        return scratch.getInt() != 0;
    }

    /**
     * Waits until the work that the present record covers is done; returns at once if never recorded. Blocks the
     * thread, and the carrier of a virtual one, in the way of {@link Library#setWaitMode} (the driver's: spinning
     * unless {@link EventFlag#BLOCKING}); an interrupt has no effect until it returns. Another thread may close the
     * event while it waits.
     *
     * @throws GpuStreamException SYNC_FORBIDDEN ({@link SyncDebugMode#ERROR} with {@link SyncDebugScope#ALL}),
     *     CAPTURING (recorded in a capture, which stays intact), PEER_LOST
     */
    default void synchronize() {
        Waits.blocking("Event.synchronize", held().use(), number -> Native.CALLS.eventSynchronize(number), this);
    }

    /**
     * Waits until the work that the present record covers is done, for a limited time and until the thread is
     * interrupted; otherwise as {@link Stream#synchronize(Duration)}.
     *
     * @param limit the longest wait, not negative; zero only asks
     * @return whether the work is done, or the event was never recorded
     * @throws InterruptedException if the thread is interrupted, before or while it waits
     * @throws GpuStreamException SYNC_FORBIDDEN ({@link SyncDebugMode#ERROR} with {@link SyncDebugScope#ALL}),
     *     CAPTURING (recorded in a capture), PEER_LOST, or how the work failed
     */
    default boolean synchronize(Duration limit) throws InterruptedException {
        long number = held().use();
        boolean done = Waits.await(
                "Event.synchronize",
                number,
                limit,
                nanos -> Native.CALLS.eventSynchronizeFor(number, nanos),
                entry -> Completions.addEvent(number, entry));
        Reference.reachabilityFence(this);
        return done;
    }

    /**
     * Returns a future for the work that the present record covers; otherwise as {@link Stream#completion()}. It is
     * complete soon if the event was never recorded.
     *
     * @return completes when the work is done; exceptionally with the {@link GpuStreamException} that the work failed
     *     with, or with SHUTDOWN if the virtual machine ends first
     * @throws GpuStreamException CAPTURING (recorded in a capture), SHUTDOWN while the virtual machine ends
     */
    default CompletableFuture<Void> completion() {
        long number = held().use();
        CompletableFuture<Void> future = Completion.of(entry -> Completions.addEvent(number, entry));
        Reference.reachabilityFence(this);
        return future;
    }
}
