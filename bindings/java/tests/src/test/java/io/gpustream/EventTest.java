// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import static io.gpustream.Support.assertStatus;
import static org.junit.jupiter.api.Assertions.*;

import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class EventTest {
    @Test
    void anEventNeverRecordedIsDoneAndUnbound() {
        try (Event event = Event.create();
                Stream stream = Stream.create()) {
            assertTrue(event.query());
            event.synchronize();
            event.makeWait(stream);
            assertEquals(Optional.empty(), event.device());
            assertEquals(0, event.nativeHandle());
            assertEquals(0, event.id());
            assertEquals(Set.of(), event.flags());
            event.record(stream);
            assertNotEquals(0, event.id());
            assertEquals(event.id(), event.nativeHandle());
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

    @Test
    void theFirstRecordStays() {
        try (Stream stream = Stream.create();
                Event event = Event.create();
                Event other = Event.create()) {
            assertTrue(event.recordOnce(stream));
            assertFalse(event.recordOnce(stream));
            assertFalse(event.recordOnce());
            assertTrue(other.recordOnce());
        }
    }

    @Test
    void timesInNanoseconds() throws Exception {
        try (Stream stream = Stream.create();
                Event start = Event.timed();
                Event end = Event.timed()) {
            start.record(stream);
            stream.sleep(2_000_000);
            end.record(stream);
            CompletableFuture<Long> elapsed = start.elapsedNsAsync(end);
            long ns = Support.get(elapsed);
            assertEquals(start.elapsedNs(end), ns);
            assertEquals(-ns, end.elapsedNs(start));
            assertEquals(Math.round(start.elapsedMs(end) * 1e6), ns);
        }
    }

    @Test
    void timesByTheHostsClock() {
        try (Stream stream = Stream.create();
                Event event = Event.timed()) {
            assertTrue(Device.current().calibrate() > 0);
            long before = System.nanoTime();
            event.record(stream);
            event.synchronize();
            long after = System.nanoTime();
            HostTime time = event.hostTime();
            assertTrue(time.errorNs() > 0);
            assertFalse(time.ns() + time.errorNs() < before);
            assertFalse(time.ns() - time.errorNs() > after);
        }
    }
}
