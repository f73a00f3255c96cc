// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import static org.junit.jupiter.api.Assertions.*;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.*;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Level;
import org.junit.jupiter.api.Test;

class CallbackTest {
    @Test
    void aFunctionRunsAfterTheWorkAndHoldsNothingUp() throws Exception {
        CompletableFuture<Thread> ran = new CompletableFuture<>();
        CountDownLatch goOn = new CountDownLatch(1);
        try (Stream stream = Stream.create();
                Event event = Event.create()) {
            try (Support.Gate gate = new Support.Gate(stream)) {
                stream.addDoneCallback(() -> {
                    ran.complete(Thread.currentThread());
                    Support.await(goOn);
                });
                event.record(stream);
                assertFalse(ran.isDone());
                gate.open();
            }
            Support.get(ran);
            // The function is still waiting, but neither the stream nor other notifications wait for it.
            stream.synchronize();
            CompletableFuture<Void> other = new CompletableFuture<>();
            stream.addDoneCallback(() -> other.complete(null), Runnable::run);
            Support.get(other);
            assertNotSame(Thread.currentThread(), ran.get());
            assertTrue(ran.get().isDaemon());
            assertSame(ClassLoader.getSystemClassLoader(), ran.get().getContextClassLoader());
            goOn.countDown();
        }
    }

    @Test
    void functionsRunInOrderEachOnce() throws Exception {
        List<Integer> order = Collections.synchronizedList(new ArrayList<>());
        List<Integer> wanted = new ArrayList<>();
        try (Stream stream = Stream.create()) {
            for (int i = 0; i < 1000; i++) {
                int number = i;
                wanted.add(number);
                stream.addDoneCallback(() -> order.add(number));
            }
            CompletableFuture<Void> last = new CompletableFuture<>();
            stream.addDoneCallback(() -> last.complete(null));
            Support.get(last);
        }
        assertEquals(wanted, order);
    }

    @Test
    void whatAFunctionThrowsIsLogged() throws Exception {
        try (TestLog log = new TestLog();
                Stream stream = Stream.create()) {
            stream.addDoneCallback(() -> {
                throw new AssertionError("thrown on purpose");
            });
            stream.addDoneCallback(() -> {}, function -> {
                throw new IllegalStateException("the executor refuses on purpose");
            });
            Support.eventually(() -> log.records.size() == 2);
            List<String> messages = new ArrayList<>();
            log.records.forEach(record -> messages.add(record.getThrown().getMessage()));
            assertTrue(messages.contains("thrown on purpose"), messages::toString);
            assertTrue(messages.contains("the executor refuses on purpose"), messages::toString);
        }
    }

    @Test
    void aFunctionMayWaitForACompletion() throws Exception {
        CompletableFuture<Void> ran = new CompletableFuture<>();
        try (Stream stream = Stream.create();
                Stream other = Stream.create()) {
            stream.addDoneCallback(() -> {
                other.completion().join();
                ran.complete(null);
            });
            Support.get(ran);
        }
    }

    @Test
    void whatDependsOnACompletionHoldsNothingUp() throws Exception {
        CountDownLatch goOn = new CountDownLatch(1);
        try (Stream stream = Stream.create();
                Stream other = Stream.create()) {
            CompletableFuture<Void> dependent;
            try (Support.Gate gate = new Support.Gate(stream)) {
                dependent = stream.completion().thenRun(() -> {
                    other.completion().join();
                    Support.await(goOn);
                });
                gate.open();
            }
            CompletableFuture<Void> function = new CompletableFuture<>();
            other.addDoneCallback(() -> function.complete(null));
            Support.get(function);
            Support.get(other.completion());
            goOn.countDown();
            Support.get(dependent);
        }
    }

    @Test
    void messagesOfTheLibraryAreLogged() {
        try (TestLog log = new TestLog();
                Stream stream = Stream.create()) {
            Library.setSyncDebugMode(SyncDebugMode.WARN);
            try {
                stream.synchronize();
            } finally {
                Library.setSyncDebugMode(SyncDebugMode.DEFAULT);
            }
            assertEquals(1, log.records.size());
            assertEquals(Level.WARNING, log.records.get(0).getLevel());
            assertTrue(log.records.get(0).getMessage().contains("synchroniz"), log.records.get(0)::getMessage);
        }
    }

    @Test
    void releaseRunsOnceAtTheLastReference() {
        AtomicInteger released = new AtomicInteger();
        long foreign = FakeDriver.newStream(0);
        Device device = Device.of(Backend.CUDA, 0);
        ExternalStream stream = ExternalStream.owning(foreign, device, released::incrementAndGet);
        assertEquals(foreign, stream.nativeHandle());
        Stream second = stream.retain();
        stream.close();
        stream.close();
        assertEquals(0, released.get());
        second.synchronize();
        second.close();
        assertEquals(1, released.get());
        FakeDriver.destroyStream(foreign);
    }

    @Test
    void releaseMayUseTheLibraryAndWhatItThrowsIsLogged() {
        Device device = Device.of(Backend.CUDA, 0);
        long foreign = FakeDriver.newStream(0);
        try (TestLog log = new TestLog()) {
            Stream stream = ExternalStream.owning(foreign, device, () -> {
                FakeDriver.destroyStream(foreign);
                try (Stream other = Stream.create(device)) {
                    assertTrue(other.query());
                }
                throw new IllegalStateException("released on purpose");
            });
            // The release function runs inside the exchange, whose output is in scratch memory already.
            Support.onThread(() -> {
                stream.setCurrent();
                stream.close();
                try (Stream next = Stream.create(device);
                        Stream previous = next.exchangeCurrent()) {
                    assertEquals(foreign, previous.nativeHandle());
                }
            });
            assertEquals(1, log.records.size());
            assertEquals("released on purpose", log.records.get(0).getThrown().getMessage());
        }
    }
}
