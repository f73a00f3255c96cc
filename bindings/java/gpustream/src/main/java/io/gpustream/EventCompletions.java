// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import io.gpustream.internal.Completions;
import io.gpustream.internal.Native;
import io.gpustream.internal.Scratch;
import io.gpustream.internal.lifetime.Handle;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.function.ToIntFunction;

/**
 * How an {@link Event} says that it is reached. Links name that class, as some versions of Javadoc do not find this
 * one.
 */
abstract class EventCompletions {
    final Handle handle;

    /** Owns a number that the library has just written to the thread's scratch memory. */
    EventCompletions(long number, Scratch scratch) {
        handle = Handle.owned(Handle.Kind.EVENT, number, this, scratch);
    }

    /**
     * Returns whether the work that the present record covers is done. Does not block and allocates nothing.
     *
     * @return true if it is done, or the event was never recorded
     * @throws GpuStreamException CAPTURING (recorded in a capture, which stays intact), PEER_LOST (its other process is
     *     gone)
     */
    public boolean query() {
        Scratch scratch = Scratch.get();
        int status = Native.CALLS.eventQuery(handle.use(), scratch.address);
        Reference.reachabilityFence(this);
        Failure.check(status);
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
    public void synchronize() {
        int status = Native.CALLS.eventSynchronize(handle.use());
        Reference.reachabilityFence(this);
        Failure.check(status);
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
    public boolean synchronize(Duration limit) throws InterruptedException {
        long nanos = Waits.nanos(limit);
        Waits.throwIfInterrupted();
        long number = handle.use();
        boolean done = Waits.await(
                Native.CALLS.eventSynchronizeFor(number, 0), nanos, entry -> Completions.addEvent(number, entry));
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
    public CompletableFuture<Void> completion() {
        long number = handle.use();
        CompletableFuture<Void> future = Completion.of(entry -> Completions.addEvent(number, entry));
        Reference.reachabilityFence(this);
        return future;
    }

    /**
     * Waits until the present record of one of several events is complete, for a limited time and until the thread is
     * interrupted; otherwise as {@link Event#synchronize(Duration)}. The events may be of several devices.
     *
     * @param events at least one; those never recorded count as complete
     * @param limit the longest wait, not negative; zero only asks
     * @return index of an event that is complete; empty if the time was over
     * @throws InterruptedException if the thread is interrupted, before or while it waits
     * @throws GpuStreamException INVALID_ARGUMENT (no events); as {@link Event#synchronize(Duration)}
     */
    public static OptionalInt synchronizeAny(List<Event> events, Duration limit) throws InterruptedException {
        List<Event> all = List.copyOf(Objects.requireNonNull(events, "events"));
        long nanos = Waits.nanos(limit);
        Waits.throwIfInterrupted();
        ByteBuffer numbers = numbersOf(all);
        Scratch scratch = Scratch.get();
        int status = Native.CALLS.eventSynchronizeAny(
                Native.BRIDGE.addressOf(numbers), all.size(), 0, scratch.address);
        int found = (int) scratch.getLong();
        if (status == Status.TIMEOUT.code()) {
            found = nanos == 0 ? -1 : Waits.await(addersOf(all), 1, nanos);
        } else {
            Failure.check(status);
        }
        Reference.reachabilityFence(numbers);
        Reference.reachabilityFence(all);
        return found < 0 ? OptionalInt.empty() : OptionalInt.of(found);
    }

    /**
     * Waits until the present records of all of several events are complete; otherwise as {@link Event#synchronizeAny}.
     * The first failure ends the wait.
     *
     * @param events any number
     * @param limit the longest wait, not negative; zero only asks
     * @return whether all are complete
     * @throws InterruptedException if the thread is interrupted, before or while it waits
     * @throws GpuStreamException as {@link Event#synchronize(Duration)}
     */
    public static boolean synchronizeAll(List<Event> events, Duration limit) throws InterruptedException {
        List<Event> all = List.copyOf(Objects.requireNonNull(events, "events"));
        long nanos = Waits.nanos(limit);
        Waits.throwIfInterrupted();
        ByteBuffer numbers = numbersOf(all);
        int status = Native.CALLS.eventSynchronizeAll(Native.BRIDGE.addressOf(numbers), all.size(), 0);
        boolean done = true;
        if (status == Status.TIMEOUT.code()) {
            done = nanos != 0 && Waits.await(addersOf(all), all.size(), nanos) >= 0;
        } else {
            Failure.check(status);
        }
        Reference.reachabilityFence(numbers);
        Reference.reachabilityFence(all);
        return done;
    }

    private static ByteBuffer numbersOf(List<Event> events) {
        ByteBuffer numbers = ByteBuffer.allocateDirect(8 * Math.max(1, events.size())).order(ByteOrder.nativeOrder());
        for (int i = 0; i < events.size(); i++) {
            numbers.putLong(8 * i, events.get(i).handle.use());
        }
        return numbers;
    }

    private static List<ToIntFunction<Completions.Entry>> addersOf(List<Event> events) {
        List<ToIntFunction<Completions.Entry>> adders = new ArrayList<>();
        for (Event event : events) {
            adders.add(entry -> Completions.addEvent(event.handle.use(), entry));
        }
        return adders;
    }
}
