// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import static io.gpustream.Support.assertStatus;
import static org.junit.jupiter.api.Assertions.*;

import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Raw handles: who owns what is behind them, what the driver knows a stream by, and events of Arrow's arrays. */
class OwnershipTest {
    @Test
    void aStreamIsGivenUpAndTakenBack() {
        Device device = Device.current();
        Stream stream = Stream.create();
        long raw = stream.nativeHandle();
        assertEquals(raw, stream.intoNative());
        assertFalse(stream.isOpen());
        assertThrows(IllegalStateException.class, stream::query);
        assertThrows(IllegalStateException.class, stream::intoNative);
        AtomicInteger released = new AtomicInteger();
        try (Stream borrowed = Stream.fromNative(raw, device)) {
            assertStatus(Status.INVALID_ARGUMENT, borrowed::intoNative);
            assertTrue(borrowed.isOpen(), "a refused call changes nothing");
            assertTrue(borrowed.query());
            try (Stream owned = ExternalStream.owning(raw, device, released::incrementAndGet)) {
                assertEquals(borrowed, owned);
            }
            assertEquals(0, released.get(), "the borrowed wrap is the same stream");
        }
        assertEquals(1, released.get());
        IllegalStateException borrowed =
                assertThrows(IllegalStateException.class, Stream.defaultStream()::intoNative);
        assertTrue(borrowed.getMessage().contains("retain"));
        try (Stream shared = Stream.builder().shared().build()) {
            assertStatus(Status.NOT_SUPPORTED, shared::intoNative);
            assertTrue(shared.isOpen());
        }
    }

    @Test
    void anEventIsGivenUpAndTakenBack() {
        Device device = Device.current();
        try (Stream stream = Stream.create()) {
            Event event = Event.create();
            event.record(stream);
            long raw = event.intoNative();
            assertNotEquals(0, raw);
            assertFalse(event.isOpen());
            AtomicInteger released = new AtomicInteger();
            try (Event owned = Event.owning(raw, device, released::incrementAndGet);
                    Event again = Event.fromNative(raw, device)) {
                assertEquals(owned, again, "two wraps of one event are one");
                again.synchronize();
                assertStatus(Status.INVALID_ARGUMENT, () -> Event.owning(raw, device, () -> {}));
            }
            Library.trim();
            assertEquals(1, released.get());
            assertStatus(Status.INVALID_HANDLE, () -> Event.owning(7, device, released::incrementAndGet));
            assertEquals(1, released.get(), "not called after a failure");
            stream.synchronize();
        }
    }

    @Test
    void whatTheDriverKnowsAStreamBy() {
        try (Stream one = Stream.create();
                Stream two = Stream.create()) {
            assertNotEquals(one.driverId(), two.driverId());
            assertEquals(one.driverId(), one.driverId());
            assertNotEquals(0, one.nativeContext());
            assertEquals(one.nativeContext(), two.nativeContext());
            assertEquals(one.nativeContext(), Stream.defaultStream(one.device()).nativeContext());
            one.setCurrent();
            assertEquals(one.nativeHandle(), Stream.currentNative());
            assertEquals(one.nativeHandle(), Stream.currentNative(one.device()));
            Stream.defaultStream().setCurrent();
            assertEquals(0, Stream.currentNative());
        }
    }

    @Test
    void arrowsSyncEvent() {
        Device device = Device.current();
        try (Stream producer = Stream.create();
                Stream reader = Stream.create();
                Event event = Event.create()) {
            assertStatus(Status.NOT_RECORDED, () -> ArrowSyncEvent.of(event));
            ArrowSyncEvent exported;
            try (Support.Gate gate = new Support.Gate(producer)) {
                event.record(producer);
                exported = ArrowSyncEvent.of(event);
                // What a reader finds in array->sync_event: a pointer to the driver's event.
                Optional<Event> found = ArrowSyncEvent.read(exported.address(), device);
                assertEquals(event, found.orElseThrow());
                reader.waitEvent(found.get());
                found.get().close();
                assertFalse(reader.query(), "it waits for the producer");
                gate.open();
            }
            reader.synchronize();
            event.close();
            assertTrue(ArrowSyncEvent.read(exported.address(), device).orElseThrow().query(), "the export keeps it");
            exported.close();
            exported.close();
            assertThrows(IllegalStateException.class, exported::address);
            assertEquals(Optional.empty(), ArrowSyncEvent.read(0, device));
        }
    }

    @Test
    void predicates() {
        Device device = Device.of(0);
        try (Stream own = Stream.create();
                Stream named = Stream.fromNative(1, device)) {
            assertFalse(own.isDefault() || own.isPerThread());
            assertTrue(named.isDefault() && Stream.defaultStream(device).isDefault());
            assertFalse(named.isPerThread());
            assertTrue(Stream.perThread(device).isPerThread());
            assertFalse(Stream.perThread(device).isDefault());
        }
    }
}
