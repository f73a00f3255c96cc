// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import static io.gpustream.Support.assertStatus;
import static org.junit.jupiter.api.Assertions.*;

import java.util.*;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.Test;

class StreamTest {
    @Test
    void aNewStreamHasWhatItWasAskedFor() {
        Device device = Device.of(1);
        PriorityRange range = device.priorityRange();
        try (Stream stream = Stream.builder().device(device).priority(-1000).blocking().build()) {
            assertEquals(device, stream.device());
            assertEquals(range.greatest(), stream.priority());
            assertEquals(Set.of(StreamFlag.BLOCKING), stream.flags());
            assertTrue(stream.isOpen());
            assertTrue(stream.query());
            assertFalse(stream.isCapturing());
            assertTrue(stream.id() > 1L << 48);
            assertThrows(IllegalArgumentException.class, () -> stream.sleep(-1));
        }
        for (PriorityLevel level : PriorityLevel.values()) {
            try (Stream stream = Stream.builder().device(device).priority(level).build()) {
                assertEquals(Math.max(Math.min(level.priority, range.least()), range.greatest()), stream.priority());
            }
        }
        try (Stream stream = Stream.builder().priority(1000).dedicated().build()) {
            assertEquals(Device.current().priorityRange().least(), stream.priority());
            assertEquals(Set.of(StreamFlag.DEDICATED), stream.flags());
        }
        assertStatus(Status.INVALID_ARGUMENT, () -> Stream.builder().shared().dedicated().build());
        assertStatus(Status.INVALID_DEVICE, () -> Stream.create(Device.of(2)));
    }

    @Test
    void equalityIsDeviceAndDriverStream() {
        try (Stream stream = Stream.create()) {
            try (Stream other = Stream.create();
                    Stream again = stream.retain();
                    ExternalStream wrapped = Stream.fromNative(stream.nativeHandle(), stream.device())) {
                assertEquals(stream, again);
                assertEquals(stream, wrapped);
                assertEquals(stream.hashCode(), wrapped.hashCode());
                assertNotEquals(stream, other);
                assertNotEquals(stream, null);
                assertNotEquals(stream, "stream");
            }
            assertNotEquals(Stream.defaultStream(Device.of(0)), Stream.defaultStream(Device.of(1)));
        }
    }

    @Test
    void aClosedStreamKeepsItsHash() {
        Stream stream = Stream.create();
        try (Stream twin = stream.retain()) {
            int hash = stream.hashCode();
            assertEquals(twin.hashCode(), hash);
            stream.close();
            stream.close();
            assertFalse(stream.isOpen());
            assertTrue(twin.query());
            assertEquals(stream, stream);
            assertNotEquals(twin, stream);
            assertNotEquals(stream, twin);
            assertEquals(hash, stream.hashCode());
            assertEquals("Stream[closed]", stream.toString());
        }
    }

    @Test
    void defaultStreamsAreBorrowed() {
        Stream stream = Stream.defaultStream();
        stream.close();
        assertTrue(stream.isOpen());
        assertTrue(stream.query());
        assertEquals(0, stream.nativeHandle());
        assertEquals(0, stream.id());
        assertEquals(Set.of(StreamFlag.BLOCKING), stream.flags());
        Stream perThread = Stream.perThread(Device.of(0));
        perThread.close();
        assertEquals(2, perThread.nativeHandle());
        assertEquals(Stream.fromNative(2, Device.of(0)), perThread);
        assertEquals(Stream.fromNative(1, Device.of(0)), Stream.defaultStream(Device.of(0)));
    }

    /** The same object while the answer stays the same, and never one of another stream. */
    @Test
    void askingForTheCurrentStreamAgain() {
        Support.onThread(() -> {
            Stream before = Stream.current();
            assertSame(before, Stream.current());
            for (int i = 0; i < 100; i++) {
                Device device = Device.of(i % 2);
                try (Stream stream = Stream.builder().device(device).priority(-(i % 3)).build();
                        StreamScope scope = stream.scope()) {
                    Stream current = Stream.current();
                    assertSame(current, Stream.current());
                    assertEquals(stream, current);
                    assertEquals(stream.nativeHandle(), current.nativeHandle());
                    assertEquals(stream.priority(), current.priority());
                    assertEquals(device, current.device());
                    current.close();
                    assertTrue(current.isOpen() && scope.isOpen());
                }
            }
            assertEquals(before, Stream.current());
            assertEquals(Device.of(0), Stream.current().device());
        });
    }

    /** As documented: an interrupt neither ends a wait nor is lost. */
    @Test
    void waitsAreNotInterruptible() {
        Support.onThread(() -> {
            try (Stream stream = Stream.create();
                    Event event = Event.create();
                    Support.Gate gate = new Support.Gate(stream)) {
                event.record(stream);
                Thread waiter = Thread.currentThread();
                Thread opener = new Thread(() -> {
                    // The thread may be before or in its wait: the interrupt must not end it in either case.
                    waiter.interrupt();
                    gate.open();
                });
                opener.start();
                event.synchronize();
                stream.synchronize();
                assertTrue(event.query() && stream.query());
                Support.eventually(Thread::interrupted);
                opener.join();
            }
        });
    }

    @Test
    void packAndUnpack() {
        StreamTriple triple;
        try (Stream stream = Stream.create(Device.of(1))) {
            triple = stream.pack();
            assertEquals(stream.id(), triple.id());
            assertEquals(1, triple.deviceIndex());
            assertEquals(Backend.defaultBackend().code(), triple.deviceType());
            try (Stream same = Stream.unpack(triple)) {
                assertEquals(stream, same);
            }
            assertStatus(
                    Status.DEVICE_MISMATCH,
                    () -> Stream.unpack(new StreamTriple(triple.id(), 0, triple.deviceType())));
        }
        assertStatus(Status.INVALID_HANDLE, () -> Stream.unpack(triple));
    }

    @Test
    void streamsAreGivenOutByIndexAndInTurn() {
        Device device = Device.of(1);
        List<Stream> streams = new ArrayList<>();
        try (StreamPool pool = StreamPool.create(3, Stream.builder().device(device).priority(-1))) {
            assertEquals(3, pool.size());
            pool.forEach(streams::add);
            Set<Long> natives = new HashSet<>();
            for (Stream stream : streams) {
                assertTrue(natives.add(stream.nativeHandle()));
                assertEquals(device, stream.device());
                assertEquals(-1, stream.priority());
            }
            for (int index : new int[] {0, 2, 3, -1, -3, Integer.MAX_VALUE, Integer.MIN_VALUE}) {
                assertSame(streams.get(Math.floorMod(index, 3)), pool.get(index));
            }
            for (int turn = 0; turn < 7; turn++) {
                assertSame(pool.get(turn), pool.next());
            }
        }
        for (Stream stream : streams) {
            assertFalse(stream.isOpen());
        }
    }

    @Test
    void threadsShareItEvenly() throws InterruptedException {
        try (StreamPool pool = StreamPool.create(4)) {
            AtomicIntegerArray seen = new AtomicIntegerArray(4);
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                threads.add(new Thread(() -> {
                    for (int turn = 0; turn < 100; turn++) {
                        Stream stream = pool.next();
                        for (int index = 0; index < 4; index++) {
                            if (pool.get(index) == stream) {
                                seen.incrementAndGet(index);
                            }
                        }
                    }
                }));
            }
            threads.forEach(Thread::start);
            for (Thread thread : threads) {
                thread.join();
            }
            assertArrayEquals(new int[] {100, 100, 100, 100}, new int[] {seen.get(0), seen.get(1), seen.get(2), seen.get(3)});
        }
    }

    @Test
    void allStreamsOrNone() {
        for (int wrong : new int[] {0, -1, Integer.MIN_VALUE}) {
            assertThrows(IllegalArgumentException.class, () -> StreamPool.create(wrong));
        }
        assertStatus(Status.INVALID_DEVICE, () -> StreamPool.create(2, Stream.builder().device(Device.of(777))));
    }
}
