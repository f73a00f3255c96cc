// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import static org.junit.jupiter.api.Assertions.*;

import io.gpustream.internal.Native;
import io.gpustream.internal.Scratch;
import io.gpustream.internal.lifetime.Leak;
import io.gpustream.internal.lifetime.WatchList;
import java.lang.reflect.Field;
import java.util.*;
import org.junit.jupiter.api.Test;

/** Forgotten objects are given back, on whichever thread they were made, and also after its end. */
class WatchTest {
    private static boolean isGone(long event) {
        return Native.CALLS.eventId(event, Scratch.get().address) == Status.INVALID_HANDLE.code();
    }

    private static void awaitGone(List<Long> events) {
        Support.onceCollected(() -> events.stream().allMatch(WatchTest::isGone));
    }

    @Test
    void whatAnEndedThreadForgotIsGivenBack() {
        List<Long> forgotten = Collections.synchronizedList(new ArrayList<>());
        int lists = WatchList.count();
        for (int i = 0; i < 200; i++) {
            Support.onThread(() -> {
                for (int k = 0; k < 20; k++) {
                    forgotten.add(Event.create().handle.number);
                }
            });
        }
        awaitGone(forgotten);
        Support.onceCollected(() -> WatchList.count() <= lists);
    }

    @Test
    void whatAnEndedThreadLeftToOthersStays() {
        List<Event> left = new ArrayList<>();
        int lists = WatchList.count();
        Support.onThread(() -> {
            for (int i = 0; i < 100; i++) {
                left.add(Event.create());
            }
        });
        // Its list is gone; the watches in it are not.
        Support.onceCollected(() -> WatchList.count() <= lists);
        List<Long> numbers = new ArrayList<>();
        for (Event event : left) {
            assertTrue(event.query());
            numbers.add(event.handle.number);
        }
        left.get(0).close();
        assertTrue(isGone(numbers.get(0)));
        assertFalse(isGone(numbers.get(1)));
        left.clear();
        awaitGone(numbers);
    }

    /** As where a free needs direct memory, of which there is none just now. */
    @Test
    void aFreeThatRunsOutOfMemoryCanBeRepeated() {
        Leak leak = new Leak(this, "the memory", "");
        assertThrows(OutOfMemoryError.class, () -> leak.free(() -> {
            throw new OutOfMemoryError("of the test");
        }));
        assertTrue(leak.isUsable());
        assertTrue(leak.free(() -> {}));
        assertFalse(leak.free(() -> {}));
    }

    /** Thread pools may clear the thread locals of their threads. */
    @Test
    void aThreadHasOneList() {
        Support.onThread(() -> {
            WatchList list = WatchList.ofThread();
            Field local = Scratch.class.getDeclaredField("OF_THREAD");
            local.setAccessible(true);
            try (Event event = Event.create()) {
                ((ThreadLocal<?>) local.get(null)).remove();
                assertSame(list, WatchList.ofThread());
                assertTrue(event.query());
            }
        });
    }

    @Test
    void thePlacesOfClosedOnesAreUsedAgain() {
        Support.onThread(() -> {
            List<Event> events = new ArrayList<>();
            for (int round = 0; round < 50; round++) {
                for (int i = 0; i < 100; i++) {
                    events.add(Event.create());
                }
                Collections.shuffle(events, new java.util.Random(round));
                if (round % 2 == 0) {
                    events.forEach(Event::close);
                } else {
                    Support.onThread(() -> events.forEach(Event::close));
                }
                events.clear();
            }
            int size = WatchList.ofThread().places();
            // As many blocks of 64 as may be full before the list looks for open watches, and the one in use.
            assertTrue(size <= 9 * 64, () -> "100 objects at a time took " + size + " places");
        });
    }
}
