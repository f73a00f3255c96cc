// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import static org.junit.jupiter.api.Assertions.*;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.*;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Current devices and streams that go with tasks. */
class StreamContextTest {
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
