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
import java.util.function.ToIntFunction;

/** Waits for several events. Callers keep the events' objects reachable. */
final class EventWaits {
    private EventWaits() {}

    /** The index of an event that is complete, where {@code all} are if they must be; -1: the time was over. */
    static int await(List<Handle> events, boolean all, Duration limit) throws InterruptedException {
        long nanos = Waits.nanos(limit);
        Waits.throwIfInterrupted();
        int count = events.size();
        ByteBuffer numbers = ByteBuffer.allocateDirect(8 * Math.max(1, count)).order(ByteOrder.nativeOrder());
        events.forEach(event -> numbers.putLong(event.use()));
        long address = Native.BRIDGE.addressOf(numbers);
        Scratch scratch = Scratch.get();
        int status = all
                ? Native.CALLS.eventSynchronizeAll(address, count, 0)
                : Native.CALLS.eventSynchronizeAny(address, count, 0, scratch.address);
        int found = all ? 0 : (int) scratch.getLong();
        if (status == Status.TIMEOUT.code()) {
            found = nanos == 0
                    ? -1
                    : Waits.recorded(
                            all ? "Event.synchronizeAll" : "Event.synchronizeAny",
                            0,
                            () -> Waits.await(addersOf(events), all ? count : 1, nanos));
        } else {
            Failure.check(status);
        }
        Reference.reachabilityFence(numbers);
        return found;
    }

    private static List<ToIntFunction<Completions.Entry>> addersOf(List<Handle> events) {
        List<ToIntFunction<Completions.Entry>> adders = new ArrayList<>();
        events.forEach(event -> adders.add(entry -> Completions.addEvent(event.use(), entry)));
        return adders;
    }
}
