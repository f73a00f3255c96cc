// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import static org.junit.jupiter.api.Assertions.*;

import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LibraryTest {
    @AfterEach
    void silentAgain() {
        Library.setSyncDebugMode(SyncDebugMode.DEFAULT);
        Library.setSyncDebugScope(SyncDebugScope.TORCH);
        Library.setUnrecordedMode(UnrecordedMode.IGNORE);
        Library.setWaitMode(WaitMode.DRIVER);
    }

    @Test
    void versionAndLayer() {
        assertEquals(System.getProperty("gpustream.layer"), Library.layer());
        assertEquals("0.1.0", Library.versionString());
        assertEquals(100, Library.version());
        assertEquals(1, Library.instanceCount());
    }

    @Test
    @SuppressWarnings("removal")
    void theFormerNameHasTheSameMethods() {
        assertTrue(GpuStream.class.isAnnotationPresent(Deprecated.class));
        assertEquals(Library.versionString(), GpuStream.versionString());
        GpuStream.setSyncDebugMode(SyncDebugMode.WARN);
        assertEquals(SyncDebugMode.WARN, Library.syncDebugMode());
    }

    @Test
    void initialisation() {
        Library.init();
        assertTrue(Library.isInitialized());
        assertTrue(Library.isAvailable());
        AtomicInteger calls = new AtomicInteger();
        Library.callOnInit(calls::incrementAndGet);
        assertEquals(1, calls.get());
        RuntimeException cause = new RuntimeException("not today");
        GpuStreamException thrown = assertThrows(GpuStreamException.class, () -> Library.callOnInit(() -> {
            throw cause;
        }));
        assertEquals(Status.SYSTEM, thrown.status());
        assertSame(cause, thrown.getCause());
    }

    @Test
    void modesAreWhatWasSet() {
        for (SyncDebugMode mode : SyncDebugMode.values()) {
            Library.setSyncDebugMode(mode);
            assertEquals(mode, Library.syncDebugMode());
        }
        for (SyncDebugScope scope : SyncDebugScope.values()) {
            Library.setSyncDebugScope(scope);
            assertEquals(scope, Library.syncDebugScope());
        }
        for (UnrecordedMode mode : UnrecordedMode.values()) {
            Library.setUnrecordedMode(mode);
            assertEquals(mode, Library.unrecordedMode());
        }
        for (WaitMode mode : WaitMode.values()) {
            Library.setWaitMode(mode);
            assertEquals(mode, Library.waitMode());
        }
    }

    @Test
    void statsCount() {
        try (Stream stream = Stream.create();
                Event event = Event.create()) {
            Stats before = Library.stats();
            event.record(stream);
            stream.waitEvent(event);
            Stats after = Library.stats();
            assertEquals(1, after.records() - before.records());
            assertEquals(1, after.waits() - before.waits());
            assertEquals(1, after.elidedWaits() - before.elidedWaits());
            Library.resetStats();
            assertEquals(0, Library.stats().records());
        }
        Library.trim();
    }

    @Test
    void statusesHaveNamesAndTexts() {
        for (Status status : Status.values()) {
            if (status != Status.UNKNOWN) {
                assertTrue(status.nativeName().endsWith(status.name()), status::nativeName);
                assertFalse(status.message().isEmpty());
                assertSame(status, Status.of(status.code()));
            }
        }
        assertSame(Status.UNKNOWN, Status.of(12345));
    }

    @Test
    void anExceptionSaysWhatWhereAndWhy() throws Exception {
        GpuStreamException thrown = assertThrows(GpuStreamException.class, () -> Stream.create(Device.of(777)));
        assertEquals(Status.INVALID_DEVICE, thrown.status());
        assertEquals(Status.INVALID_DEVICE.code(), thrown.statusCode());
        assertEquals("gs_stream_create", thrown.function());
        assertEquals(UnavailableReason.NONE, thrown.reason());
        assertFalse(thrown.sticky());
        assertEquals("", thrown.origin());
        assertTrue(thrown.getMessage().contains("777"), thrown::getMessage);
        assertTrue(Library.nativeErrorText(Backend.CUDA, 700).toLowerCase().contains("illegal"));
        assertEquals(Optional.of(Device.of(777)), Device.of(thrown));
        assertEquals(0, thrown.streamHandle());
        assertEquals(0, thrown.eventHandle());
        try (Stream first = Stream.create(Device.of(0));
                Stream other = Stream.create(Device.of(1));
                Event event = Event.create()) {
            event.record(first);
            GpuStreamException mismatch = assertThrows(GpuStreamException.class, () -> event.record(other));
            assertEquals(Status.DEVICE_MISMATCH, mismatch.status());
            assertEquals(other.id(), mismatch.streamHandle(), "a stream's id is its number, but for default streams");
            assertEquals(event.handle(), mismatch.eventHandle());
            assertEquals(Optional.of(Device.of(1)), Device.of(mismatch));
            GpuStreamException read = (GpuStreamException) TokenTest.deserialized(TokenTest.serialized(mismatch));
            assertEquals(Status.DEVICE_MISMATCH, read.status());
            assertEquals(0, read.streamHandle(), "a number of another process");
            assertEquals(0, read.eventHandle());
            assertEquals(Optional.of(Device.of(1)), Device.of(read));
        }
    }

    /** As of a virtual thread, which may have moved away from the thread that has the record. */
    @Test
    void aStickyFailureWithoutARecordIsSticky() {
        assertTrue(Failure.of(Status.STICKY, "text").sticky());
        assertFalse(Failure.of(Status.DRIVER, "text").sticky());
    }
}
