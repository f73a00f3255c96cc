// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import static io.gpustream.Support.assertStatus;
import static org.junit.jupiter.api.Assertions.*;

import io.gpustream.internal.Constants;
import io.gpustream.internal.Layouts;
import io.gpustream.internal.Native;
import io.gpustream.internal.Scratch;
import io.gpustream.internal.lifetime.Leak;
import io.gpustream.internal.lifetime.WatchList;
import java.lang.reflect.Field;
import java.util.*;
import java.util.function.*;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * Objects with a number of the library: references, equality, the end. Forgotten ones are given back, on whichever thread
 * they were made, and also after its end.
 */
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

    /** One kind of object: how it is made, retained, found by its number, and asked for. */
    private record Kind<T extends HandleOwner>(
            String name, Supplier<T> make, UnaryOperator<T> retain, LongFunction<T> byNumber, LongToIntFunction ask) {}

    private static long out() {
        return Scratch.get().address;
    }

    private static GraphExec executable() {
        try (Graph graph = Graph.create()) {
            graph.addHost(() -> {});
            return graph.instantiate();
        }
    }

    private static final List<Kind<?>> KINDS = List.of(
            new Kind<>("Event", Event::create, Event::retain, Event::fromHandle, n -> Native.CALLS.eventId(n, out())),
            new Kind<>("Graph", Graph::create, Graph::retain, Graph::fromHandle, n -> Native.CALLS.graphNative(n, out())),
            new Kind<>("GraphExec", WatchTest::executable, GraphExec::retain, null,
                    n -> Native.CALLS.graphExecNative(n, out())),
            new Kind<>("CompletionQueue", () -> CompletionQueue.create(1), null, CompletionQueue::fromHandle,
                    n -> Native.CALLS.queueFd(n, out())),
            new Kind<>("Timeline", Timeline::create, Timeline::retain, Timeline::fromHandle,
                    n -> Native.CALLS.timelineValue(n, out())),
            new Kind<>("Partition", () -> Partition.create(Device.current(), new int[] {1}).get(0), null, null,
                    n -> Native.CALLS.partitionInfo(n, Layouts.PARTITION_SUMMARY.prepare(Scratch.get()))));

    private static boolean isGone(Kind<?> kind, long number) {
        return kind.ask.applyAsInt(number) == Status.INVALID_HANDLE.code();
    }

    @TestFactory
    List<DynamicTest> eachKind() {
        List<DynamicTest> tests = new ArrayList<>();
        for (Kind<?> kind : KINDS) {
            tests.add(DynamicTest.dynamicTest(kind.name + " is closed once", () -> isClosedOnce(kind)));
            tests.add(DynamicTest.dynamicTest(kind.name + " has references", () -> hasReferences(kind)));
            tests.add(DynamicTest.dynamicTest(kind.name + " is given back when forgotten", () ->
                    isGivenBack(() -> kind.make.get().handle(), kind.ask)));
        }
        tests.add(DynamicTest.dynamicTest("Stream is given back when forgotten", () ->
                isGivenBack(() -> Stream.create().handle.number, n -> Native.CALLS.streamId(n, out()))));
        return tests;
    }

    private static <T extends HandleOwner> void isClosedOnce(Kind<T> kind) {
        try (T object = kind.make.get();
                T other = kind.make.get()) {
            long number = object.handle();
            assertTrue(object.isOpen() && !isGone(kind, number));
            assertTrue(object.toString().startsWith(kind.name + "["), object::toString);
            assertEquals(object, object);
            assertNotEquals(object, other);
            assertNotEquals(object, null);
            object.close();
            object.close();
            assertFalse(object.isOpen());
            assertEquals(kind.name + "[closed]", object.toString());
            assertTrue(isGone(kind, number));
        }
    }

    private static <T extends HandleOwner> void hasReferences(Kind<T> kind) {
        List<UnaryOperator<T>> ways = new ArrayList<>();
        if (kind.retain != null) {
            ways.add(kind.retain);
        }
        if (kind.byNumber != null) {
            ways.add(object -> kind.byNumber.apply(object.handle()));
        }
        for (UnaryOperator<T> way : ways) {
            T object = kind.make.get();
            long number = object.handle();
            try (T twin = way.apply(object)) {
                assertEquals(object, twin);
                assertEquals(object.hashCode(), twin.hashCode());
                assertEquals(number, twin.handle());
                object.close();
                assertTrue(twin.isOpen() && !isGone(kind, number));
            }
            assertTrue(isGone(kind, number));
            if (kind.byNumber != null) {
                long other = Stream.defaultStream().handle.number;
                for (long wrong : new long[] {number, 0, 1, -1, Constants.STREAM_CURRENT, other}) {
                    assertStatus(Status.INVALID_HANDLE, () -> kind.byNumber.apply(wrong));
                }
            }
        }
    }

    private static void isGivenBack(LongSupplier make, LongToIntFunction ask) {
        long[] numbers = new long[50];
        for (int i = 0; i < numbers.length; i++) {
            numbers[i] = make.getAsLong();
        }
        Support.eventually(() -> {
            System.gc();
            for (long number : numbers) {
                if (ask.applyAsInt(number) != Status.INVALID_HANDLE.code()) {
                    return false;
                }
            }
            return true;
        });
    }
}
