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
import java.util.OptionalInt;
import java.util.function.ToIntFunction;

/** Waits for several events. Callers keep the events' objects reachable. */
final class EventWaits {
    private EventWaits() {}

    /** The index of an event that is complete; empty if the time was over. */
    static OptionalInt any(List<Handle> events, Duration limit) throws InterruptedException {
        long nanos = Waits.nanos(limit);
        Waits.throwIfInterrupted();
        ByteBuffer numbers = numbersOf(events);
        Scratch scratch = Scratch.get();
        int status = Native.CALLS.eventSynchronizeAny(
                Native.BRIDGE.addressOf(numbers), events.size(), 0, scratch.address);
        int found = (int) scratch.getLong();
        if (status == Status.TIMEOUT.code()) {
            found = nanos == 0
                    ? -1
                    : Waits.recorded("Event.synchronizeAny", 0, () -> Waits.await(addersOf(events), 1, nanos));
        } else {
            Failure.check(status);
        }
        Reference.reachabilityFence(numbers);
        return found < 0 ? OptionalInt.empty() : OptionalInt.of(found);
    }

    /** Whether all are complete before the time is over. */
    static boolean all(List<Handle> events, Duration limit) throws InterruptedException {
        long nanos = Waits.nanos(limit);
        Waits.throwIfInterrupted();
        ByteBuffer numbers = numbersOf(events);
        int status = Native.CALLS.eventSynchronizeAll(Native.BRIDGE.addressOf(numbers), events.size(), 0);
        boolean done = true;
        if (status == Status.TIMEOUT.code()) {
            done = nanos != 0
                    && Waits.recorded(
                            "Event.synchronizeAll", 0, () -> Waits.await(addersOf(events), events.size(), nanos) >= 0);
        } else {
            Failure.check(status);
        }
        Reference.reachabilityFence(numbers);
        return done;
    }

    private static ByteBuffer numbersOf(List<Handle> events) {
        ByteBuffer numbers = ByteBuffer.allocateDirect(8 * Math.max(1, events.size())).order(ByteOrder.nativeOrder());
        for (int i = 0; i < events.size(); i++) {
            numbers.putLong(8 * i, events.get(i).use());
        }
        return numbers;
    }

    private static List<ToIntFunction<Completions.Entry>> addersOf(List<Handle> events) {
        List<ToIntFunction<Completions.Entry>> adders = new ArrayList<>();
        for (Handle event : events) {
            adders.add(entry -> Completions.addEvent(event.use(), entry));
        }
        return adders;
    }
}
