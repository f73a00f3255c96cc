// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import static io.gpustream.Support.assertStatus;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gpustream.internal.Constants;
import io.gpustream.internal.Native;
import io.gpustream.internal.Scratch;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class EventTest {
    @Test
    void anEventNeverRecordedIsDoneAndUnbound() {
        try (Event event = Event.create();
                Stream stream = Stream.create()) {
            assertTrue(event.query());
            event.synchronize();
            event.makeWait(stream);
            stream.waitEvent(event);
            assertEquals(Optional.empty(), event.device());
            assertEquals(0, event.nativeHandle());
            assertEquals(0, event.id());
            assertEquals(Set.of(), event.flags());
            event.record(stream);
            long id = event.id();
            assertNotEquals(0, id);
            event.record(stream);
            assertEquals(id, event.id());
            assertEquals(id, event.nativeHandle());
        }
    }

    @Test
    void onlyTheNativeHandleCountsAsGivenOut() {
        try (Stream stream = Stream.create();
                Event event = stream.recordEvent()) {
            event.synchronize();
            assertTrue(event.query());
            long id = event.id();
            assertEquals(1, elidedQueries(event));
            assertEquals(id, event.id());
            assertEquals(1, elidedQueries(event));
            assertEquals(id, event.nativeHandle(), "its owner may record it by now");
            assertEquals(0, elidedQueries(event));
            assertEquals(id, event.nativeHandle());
            assertEquals(id, event.id());
        }
    }

    @Test
    void theCurrentStreamWaits() {
        Support.onThread(() -> {
            try (Stream stream = Stream.create();
                    Stream current = Stream.create();
                    Event event = Event.create();
                    Support.Gate gate = new Support.Gate(stream)) {
                event.record(stream);
                current.setCurrent();
                event.makeWait();
                assertFalse(current.query());
                gate.open();
                current.synchronize();
                assertTrue(event.query());
            }
        });
    }

    @Test
    void theCurrentStreamWaitsForOpenEventsOnly() {
        Support.onThread(() -> {
            try (Stream current = Stream.create();
                    Support.Gate gate = new Support.Gate(current)) {
                current.setCurrent();
                Event event = Event.create();
                event.makeWait(); // has no effect before the first record
                event.close();
                assertThrows(IllegalStateException.class, event::makeWait);
                assertThrows(IllegalStateException.class, event::record);
                assertFalse(current.query());
                gate.open();
                current.synchronize();
            }
        });
    }

    @Test
    void anEventOfAnotherLanguageByItsNumber() {
        Scratch scratch = Scratch.get();
        Failure.check(Native.CALLS.eventCreate(0, scratch.address));
        long number = scratch.getLong();
        try (Event event = Event.fromHandle(number);
                Stream stream = Stream.create()) {
            assertEquals(number, event.handle());
            event.record(stream);
            Failure.check(Native.CALLS.eventDestroy(number)); // the other language's reference
            stream.synchronize();
            assertTrue(event.query());
        }
        assertStatus(Status.INVALID_HANDLE, () -> Event.fromHandle(number));
        for (long wrong : new long[] {0, 1, -1, Constants.STREAM_CURRENT, Stream.defaultStream().handle.number}) {
            assertStatus(Status.INVALID_HANDLE, () -> Event.fromHandle(wrong));
        }
        Event closed = Event.create();
        closed.close();
        assertThrows(IllegalStateException.class, closed::handle);
    }

    private static long elidedQueries(Event event) {
        long before = Library.stats().elidedQueries();
        assertTrue(event.query());
        return Library.stats().elidedQueries() - before;
    }

    @Test
    void flags() {
        try (Event event = Event.builder().timing().blocking().external().build()) {
            assertEquals(Set.of(EventFlag.TIMING, EventFlag.BLOCKING, EventFlag.EXTERNAL), event.flags());
        }
        assertStatus(Status.INVALID_ARGUMENT, () -> Event.builder().timing().interprocess().build());
    }

    @Test
    void elapsedTimes() {
        try (Event start = Event.timed();
                Event end = Event.timed();
                Stream stream = Stream.create()) {
            start.record(stream);
            end.record(stream);
            end.synchronize();
            double forwards = start.elapsedMs(end);
            assertTrue(forwards >= 0, () -> "elapsed " + forwards);
            assertEquals(-forwards, end.elapsedMs(start), 1e-3);
            assertEquals(0.0, start.elapsedMs(start));
        }
    }

    @Test
    void recordWithoutAStreamMeansTheCurrentOne() {
        try (Event event = Event.create();
                Stream stream = Stream.create(Device.of(1))) {
            try (StreamScope scope = stream.scope()) {
                assertTrue(scope.isOpen());
                event.record();
            }
            assertEquals(Optional.of(Device.of(1)), event.device());
        }
    }

    @Test
    void aClosedEventIsRefused() {
        Event event = Event.create();
        event.close();
        event.close();
        assertFalse(event.isOpen());
        assertEquals("Event[closed]", event.toString());
        try (Stream stream = Stream.create()) {
            assertThrows(IllegalStateException.class, () -> event.record(stream));
            assertThrows(IllegalStateException.class, event::record);
            assertThrows(IllegalStateException.class, () -> stream.waitEvent(event));
            assertThrows(IllegalStateException.class, event::query);
            assertThrows(IllegalStateException.class, event::synchronize);
            assertThrows(IllegalStateException.class, event::nativeHandle);
            assertThrows(IllegalStateException.class, event::retain);
            assertThrows(IllegalStateException.class, event::exportIpc);
        }
    }

    @Test
    void retainedEventsAreEqual() {
        Event event = Event.create();
        try (Event twin = event.retain();
                Event other = Event.create()) {
            assertEquals(event, twin);
            assertEquals(event.hashCode(), twin.hashCode());
            assertNotEquals(event, other);
            event.close();
            assertTrue(twin.query());
        }
    }

    @Test
    void interprocessHandles() {
        try (Event event = Event.builder().interprocess().build();
                Event plain = Event.create()) {
            IpcHandle handle = event.exportIpc();
            assertEquals(Optional.of(Device.current()), event.device());
            assertEquals(IpcHandle.of(handle.toByteArray()), handle);
            assertEquals(IpcHandle.BYTES, handle.toByteArray().length);
            assertStatus(Status.NOT_SUPPORTED, () -> Event.openIpc(handle, Device.current()));
            assertStatus(Status.INVALID_ARGUMENT, plain::exportIpc);
        }
        assertThrows(IllegalArgumentException.class, () -> IpcHandle.of(new byte[63]));
        assertStatus(Status.INVALID_ARGUMENT, () -> Event.openIpc(IpcHandle.of(new byte[64]), Device.of(0)));
    }
}
