// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import static io.gpustream.Support.assertStatus;
import static org.junit.jupiter.api.Assertions.*;

import io.gpustream.internal.Constants;
import io.gpustream.internal.Layouts;
import io.gpustream.internal.Native;
import io.gpustream.internal.Scratch;
import java.util.ArrayList;
import java.util.List;
import java.util.function.*;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** What objects with a number of the library share: references, numbers, equality, the end, and being forgotten. */
class HandlesTest {
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
            new Kind<>("GraphExec", HandlesTest::executable, GraphExec::retain, null,
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
