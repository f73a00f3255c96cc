// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import static io.gpustream.Support.assertStatus;
import static io.gpustream.Support.onThread;
import static org.junit.jupiter.api.Assertions.*;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.*;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What is current on a thread, and goes with tasks to others. */
class StreamScopeTest {
    private final ExecutorService plain = Executors.newSingleThreadExecutor();
    private final ExecutorService carrying = StreamContext.carrying(plain);

    @AfterEach
    void ends() throws Exception {
        assertEquals(Optional.empty(), StreamContext.bound());
        carrying.shutdown();
        assertTrue(carrying.awaitTermination(Support.PATIENCE_SECONDS, TimeUnit.SECONDS));
        assertTrue(plain.isTerminated() && carrying.isTerminated() && carrying.isShutdown());
    }

    @Test
    void aScopeSetsStreamAndDeviceAndPutsThemBack() {
        onThread(() -> {
            Device before = Device.current();
            try (Stream stream = Stream.create(Device.of(1))) {
                try (StreamScope scope = stream.scope()) {
                    assertTrue(scope.isOpen());
                    assertEquals(stream, Stream.current());
                    assertEquals(stream, Stream.current(Device.of(1)));
                    assertEquals(Device.of(1), Device.current());
                    assertEquals(Stream.defaultStream(Device.of(0)), Stream.current(Device.of(0)));
                }
                assertEquals(before, Device.current());
                assertEquals(Stream.defaultStream(Device.of(1)), Stream.current(Device.of(1)));
            }
        });
    }

    @Test
    void anotherThreadsScopeIsRefusedAndChangesNothing() {
        onThread(() -> {
            try (Stream stream = Stream.create();
                    StreamScope scope = stream.scope()) {
                onThread(() -> {
                    assertStatus(Status.SCOPE, scope::close);
                    assertStatus(Status.SCOPE, scope::unwind);
                    assertNotEquals(stream, Stream.current());
                });
                assertTrue(scope.isOpen());
                assertEquals(stream, Stream.current());
            }
        });
    }

    @Test
    void setAndExchange() {
        onThread(() -> {
            try (Stream first = Stream.create(Device.of(1));
                    Stream second = Stream.create(Device.of(1))) {
                first.setCurrent();
                assertEquals(Device.of(1), Device.current());
                try (Stream previous = second.exchangeCurrent()) {
                    assertEquals(first, previous);
                }
                assertEquals(second, Stream.current());
                onThread(() -> assertEquals(Stream.defaultStream(Device.of(0)), Stream.current()));
                assertEquals(Device.of(1), Device.of(0).exchange());
                assertEquals(Device.of(0), Device.current());
            }
        });
    }

    @Test
    void aScopeSetsTheDeviceAndPutsItBack() {
        onThread(() -> {
            Device before = Device.current();
            try (Stream stream = Stream.create(Device.of(1))) {
                stream.setCurrent();
                before.setCurrent();
                try (DeviceScope scope = Device.of(1).scope()) {
                    assertTrue(scope.isOpen());
                    assertEquals(Device.of(1), Device.current());
                    assertEquals(stream, Stream.current(), "current streams stay");
                    try (Stream here = Stream.create()) {
                        assertEquals(Device.of(1), here.device());
                    }
                    try (DeviceScope inner = Device.of(0).scope()) {
                        assertTrue(inner.isOpen());
                        assertEquals(Device.of(0), Device.current());
                    }
                    assertEquals(Device.of(1), Device.current());
                }
                assertEquals(before, Device.current());
                assertEquals(stream, Stream.current(Device.of(1)));
            }
        });
    }

    @Test
    void noScopeIsOpenForADeviceThatDoesNotExist() {
        onThread(() -> {
            try (DeviceScope outer = Device.of(1).scope()) {
                assertStatus(Status.INVALID_DEVICE, () -> Device.of(2).scope());
                assertEquals(Device.of(1), Device.current());
                assertTrue(outer.isOpen());
            }
            assertEquals(Device.of(0), Device.current());
        });
    }

    @Test
    void bothKindsOfScopesNestInOrder() {
        onThread(() -> {
            try (Stream stream = Stream.create(Device.of(1))) {
                DeviceScope device = Device.of(1).scope();
                StreamScope inDevice = stream.scope();
                DeviceScope innermost = Device.of(0).scope();
                assertStatus(Status.SCOPE, device::close);
                assertStatus(Status.SCOPE, inDevice::close);
                assertEquals(Device.of(0), Device.current());
                innermost.close();
                assertEquals(stream, Stream.current());
                assertStatus(Status.SCOPE, device::close);
                assertTrue(device.isOpen());
                inDevice.close();
                inDevice.close();
                assertFalse(inDevice.isOpen());
                assertEquals(Device.of(1), Device.current());
                device.close();
                assertEquals(Device.of(0), Device.current());
            }
        });
    }

    /** A scope that an unwind ended never counts as open again, whatever is opened afterwards. */
    @Test
    void unwindEndsScopesOfDevicesToo() {
        onThread(() -> {
            try (Stream stream = Stream.create(Device.of(1))) {
                StreamScope outer = stream.scope();
                DeviceScope inner = Device.of(0).scope();
                outer.unwind();
                assertFalse(outer.isOpen());
                assertEquals(Device.of(0), Device.current());
                assertStatus(Status.SCOPE, outer::unwind);
                outer.close();
                assertStatus(Status.SCOPE, inner::close);
                StreamScope next = stream.scope();
                DeviceScope inNext = Device.of(1).scope();
                assertStatus(Status.SCOPE, inner::close);
                assertEquals(Device.of(1), Device.current());
                inNext.close();
                next.close();
                assertEquals(Device.of(0), Device.current());
            }
        });
    }

    @Test
    void tasksHaveTheStreamsOfWhoHandsThemOver() throws Exception {
        Device second = Device.of(1);
        try (Stream stream = Stream.create(Device.of(0));
                Stream other = Stream.create(second);
                StreamScope first = stream.scope();
                StreamScope inner = other.scope()) {
            assertTrue(first.isOpen() && inner.isOpen());
            carrying.submit(() -> {
                        assertEquals(second, Device.current());
                        assertEquals(other, Stream.current());
                        assertEquals(stream, Stream.current(Device.of(0)));
                        assertEquals(other, StreamContext.bound().orElseThrow().stream());
                        assertEquals(stream, StreamContext.bound().orElseThrow().stream(Device.of(0)));
                    })
                    .get();
            assertEquals(
                    List.of(Device.of(0), Stream.defaultStream(Device.of(0)), Stream.defaultStream(second)),
                    plain.submit(() -> List.of(Device.current(), Stream.current(), Stream.current(second))).get(),
                    "the thread has its own again");
        }
    }

    /** What the task changes, and scopes that it leaves open, end with it. */
    @Test
    void aTaskLeavesNothingBehind() throws Exception {
        try (Stream stream = Stream.create()) {
            carrying.submit(() -> {
                        assertTrue(stream.scope().isOpen());
                        Device.of(1).setCurrent();
                    })
                    .get();
            assertEquals(Stream.defaultStream(), plain.submit(() -> Stream.current()).get());
            try (StreamScope scope = plain.submit(() -> null).get() == null ? stream.scope() : null) {
                Stream own = carrying.submit(() -> Stream.current().retain()).get();
                assertEquals(stream, own);
                assertTrue(scope.isOpen());
                own.close();
            }
        }
    }

    /** A thread whose own stream is another one gets the default stream of the task, and its own back. */
    @Test
    void defaultStreamsAreCarriedToo() throws Exception {
        try (Stream own = Stream.create();
                StreamContext context = StreamContext.current()) {
            assertEquals(Stream.defaultStream(), context.stream());
            try (StreamScope scope = own.scope()) {
                assertEquals(Stream.defaultStream(), context.call(Stream::current));
                assertEquals(own, Stream.current());
                assertTrue(scope.isOpen());
                assertThrows(IllegalStateException.class, () -> context.run(() -> {
                    throw new IllegalStateException("thrown on purpose");
                }));
                assertEquals(own, Stream.current());
                assertThrows(java.io.IOException.class, () -> context.call(() -> {
                    throw new java.io.IOException("checked");
                }));
            }
        }
    }

    @Test
    void aContextKeepsItsStreams() throws Exception {
        StreamContext context;
        Stream stream = Stream.create();
        try (StreamScope scope = stream.scope()) {
            assertTrue(scope.isOpen());
            context = StreamContext.current();
        }
        long handle = stream.nativeHandle();
        stream.close();
        Executor executor = context.executor(plain);
        CompletableFuture<Long> found = CompletableFuture.supplyAsync(() -> Stream.current().nativeHandle(), executor);
        assertEquals(handle, Support.get(found));
        assertTrue(context.isOpen() && context.toString().contains("StreamContext["));
        context.close();
        context.close();
        assertFalse(context.isOpen());
        assertThrows(IllegalStateException.class, () -> context.run(() -> {}));
        assertThrows(IllegalStateException.class, () -> context.stream().query());
        assertThrows(
                IllegalArgumentException.class,
                () -> context.stream(Device.of(context.device().backend(), 77)));
    }

    @Test
    void aRefusedTaskLeavesNoContext() {
        Executor refusing = StreamContext.carrying((Executor) task -> {
            throw new RejectedExecutionException("on purpose");
        });
        assertThrows(RejectedExecutionException.class, () -> refusing.execute(() -> {}));
        StreamContext.carrying((Executor) Runnable::run).execute(() -> assertTrue(StreamContext.bound().isPresent()));
    }
}
