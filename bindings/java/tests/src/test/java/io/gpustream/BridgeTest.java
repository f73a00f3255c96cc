// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import static org.junit.jupiter.api.Assertions.*;

import com.sun.jna.Library;
import com.sun.jna.Native;
import com.sun.jna.Pointer;
import io.gpustream.internal.Callbacks;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Libraries with a current stream of their own, written in Java. */
class BridgeTest {
    /** Another library, with a stream for each thread and device. */
    private static final class Other implements Bridge.Streams {
        final ThreadLocal<Map<Integer, Long>> current = ThreadLocal.withInitial(HashMap::new);
        final ThreadLocal<Integer> device = new ThreadLocal<>();
        RuntimeException failure;

        @Override
        public long get(int ordinal) {
            fail();
            return current.get().getOrDefault(ordinal, 0L);
        }

        @Override
        public void set(int ordinal, long nativeHandle) {
            fail();
            current.get().put(ordinal, nativeHandle);
        }

        @Override
        public void setDevice(int ordinal) {
            device.set(ordinal);
        }

        private void fail() {
            if (failure != null) {
                throw failure;
            }
        }
    }

    private final Other other = new Other();
    private final int waiting = Callbacks.waiting();
    private final Bridge bridge = Bridge.register("java", Backend.defaultBackend(), other);

    @AfterEach
    void ends() {
        bridge.unregister();
        Support.eventually(() -> Callbacks.waiting() <= waiting); // those of the library are forgotten
        Stream.defaultStream().setCurrent();
    }

    @Test
    void leadingTakesTheOtherLibraryAlong() {
        assertEquals(bridge, Bridge.find("java"));
        try (Stream stream = Stream.create();
                Stream before = Stream.create()) {
            bridge.lead(true);
            assertEquals(0, other.get(0), "leading alone changes nothing");
            other.set(0, before.nativeHandle());
            try (StreamScope scope = stream.scope()) {
                assertTrue(scope.isOpen());
                assertEquals(stream.nativeHandle(), other.get(0));
                assertEquals(stream.nativeHandle(), Stream.currentNative());
            }
            assertEquals(before.nativeHandle(), other.get(0), "the end of the scope restores what was there");
            stream.setCurrent();
            assertEquals(stream.nativeHandle(), other.get(0));
            Support.onThread(() -> assertEquals(0, other.get(0)));
            bridge.lead(false);
            Stream.defaultStream().setCurrent();
            assertEquals(stream.nativeHandle(), other.get(0));
            other.set(0, 0);
        }
    }

    @Test
    void leadingTellsOfDevices() {
        if (Backend.defaultBackend().deviceCount() < 2) {
            return;
        }
        bridge.lead(true);
        try (DeviceScope scope = Device.of(1).scope()) {
            assertEquals(1, other.device.get());
            assertTrue(scope.isOpen());
        }
        assertEquals(0, other.device.get());
    }

    @Test
    void followingAsksTheOtherLibrary() {
        Device device = Device.current();
        try (Stream theirs = Stream.create(device);
                Event event = Event.create()) {
            bridge.follow();
            assertTrue(Stream.current().equals(Stream.defaultStream()));
            other.set(0, theirs.nativeHandle());
            assertTrue(Stream.current().equals(theirs));
            assertEquals(theirs.nativeHandle(), Stream.currentNative(device));
            event.record();
            event.synchronize();
            Support.assertStatus(Status.INVALID_ARGUMENT, this::followAnother);
            Bridge.stopFollowing();
            Stream.defaultStream().setCurrent();
            other.set(0, theirs.nativeHandle());
            assertTrue(Stream.current().equals(Stream.defaultStream()), "theirs is not asked for any more");
            other.set(0, 0);
        }
    }

    private void followAnother() {
        Bridge second = Bridge.register("reader", Backend.defaultBackend(), ordinal -> 0);
        try {
            second.follow();
        } finally {
            second.unregister();
        }
    }

    @Test
    void whatTheFunctionThrowsIsTheCause() {
        other.failure = new IllegalStateException("their stream is busy");
        try (Stream stream = Stream.create()) {
            bridge.lead(true);
            GpuStreamException thrown = assertThrows(GpuStreamException.class, stream::setCurrent);
            assertEquals(Status.DRIVER, thrown.status());
            assertSame(other.failure, thrown.getCause());
            assertTrue(thrown.getMessage().contains("java"), thrown::getMessage);
            assertFalse(Stream.current().equals(stream), "nothing has changed");
            bridge.lead(false);
        }
    }

    @Test
    void callsOnTheCurrentStreamAreRefusedInside() {
        AtomicReference<Status> inside = new AtomicReference<>();
        Bridge nested = Bridge.register("nested", Backend.defaultBackend(), ordinal -> {
            inside.set(assertThrows(GpuStreamException.class, Stream::current).status());
            return 0;
        });
        try {
            nested.follow();
            assertTrue(Stream.current().equals(Stream.defaultStream()));
            assertEquals(Status.NOT_PERMITTED, inside.get());
            Support.assertStatus(Status.NOT_SUPPORTED, () -> nested.lead(true)); // it has no setter
        } finally {
            nested.unregister();
        }
    }

    @Test
    void wrongNames() {
        Backend backend = Backend.defaultBackend();
        for (String name : new String[] {"java", "", "a\0b", "x".repeat(200)}) {
            Support.assertStatus(Status.INVALID_ARGUMENT, () -> Bridge.register(name, backend, other));
        }
        Support.assertStatus(Status.INVALID_ARGUMENT, () -> Bridge.find("no such library"));
        GpuStreamException absent = assertThrows(GpuStreamException.class, () -> Bridge.find("torch"));
        assertEquals(Status.UNAVAILABLE, absent.status());
        assertEquals(UnavailableReason.NO_LIBRARY, absent.reason());
        assertThrows(GpuStreamException.class, () -> new Bridge(0).lead(true));
    }

    /** The C library's functions on a thread that the virtual machine does not know. */
    interface Threads extends Library {
        int pthread_create(Pointer[] thread, Pointer attributes, Pointer start, Pointer argument);

        int pthread_join(Pointer thread, Pointer result);
    }

    @Test
    void threadsThatAreNotJavasHaveTheirOwn() {
        // The library's own function as the thread's start: gs_set_current_stream(stream).
        Pointer set = com.sun.jna.NativeLibrary.getInstance("libgpustream.so.0").getFunction("gs_set_current_stream");
        Threads threads = Native.load("c", Threads.class);
        try (Stream stream = Stream.create()) {
            bridge.lead(true);
            Pointer[] thread = new Pointer[1];
            assertEquals(0, threads.pthread_create(thread, null, set, new Pointer(stream.handle.number)));
            com.sun.jna.Memory place = new com.sun.jna.Memory(8);
            assertEquals(0, threads.pthread_join(thread[0], place));
            assertEquals(0, (int) place.getLong(0), "GS_OK");
            assertEquals(0, other.get(0), "no function of Java was called there");
            bridge.lead(false);
        }
    }
}
