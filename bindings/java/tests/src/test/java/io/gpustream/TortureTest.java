// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import static org.junit.jupiter.api.Assertions.*;

import io.gpustream.internal.Callbacks;
import io.gpustream.internal.Native;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.*;
import org.junit.jupiter.api.Test;

/**
 * Sixteen threads use, close and forget the same objects. Each call succeeds, or throws because the object is closed
 * or was closed during the call. The virtual machine survives.
 */
class TortureTest {
    private static final int THREADS = 16;
    private static final int SLOTS = 32;
    private static final int STEPS = Support.FULL ? 400_000 : 8_000;

    private final AtomicReferenceArray<Stream> streams = new AtomicReferenceArray<>(SLOTS);
    private final AtomicReferenceArray<Event> events = new AtomicReferenceArray<>(SLOTS);
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(64);
    private final HostMemory memory = HostMemory.allocate(64);
    private final AtomicReference<Throwable> wrong = new AtomicReference<>();
    private final AtomicLong succeeded = new AtomicLong();
    private final AtomicLong closed = new AtomicLong();
    private final AtomicLong overtaken = new AtomicLong();

    @Test
    void closingRacesWithEverything() throws InterruptedException {
        for (int i = 0; i < SLOTS; i++) {
            streams.set(i, Stream.create());
            events.set(i, Event.timed());
        }
        CountDownLatch start = new CountDownLatch(1);
        Thread[] threads = new Thread[THREADS];
        try (TestLog log = new TestLog()) {
            for (int i = 0; i < THREADS; i++) {
                int seed = i;
                threads[i] = new Thread(() -> torture(new SplittableRandom(seed), start));
                threads[i].start();
            }
            start.countDown();
            for (Thread thread : threads) {
                thread.join();
            }
            // A reference given back twice would have been reported.
            assertEquals(List.of(), log.messages().stream().filter(text -> text.startsWith("closing")).toList());
        }
        assertNull(wrong.get(), () -> "a call failed as none may: " + wrong.get());
        long steps = (long) THREADS * STEPS;
        assertTrue(succeeded.get() > steps / 10, () -> succeeded + " of " + steps + " calls succeeded");
        assertTrue(closed.get() > 0, "no call met a closed object");
        assertTrue(overtaken.get() > 0, "no call was overtaken");
        System.out.println("torture: " + succeeded + " calls succeeded, " + closed + " met a closed object, "
                + overtaken + " were overtaken by a close");
        // Each remaining object works or is closed, and the library is as usable as before.
        Device.of(0).synchronize();
        Support.eventually(() -> Callbacks.waiting() == 0);
        try (Stream stream = Stream.create();
                Event event = stream.recordEvent()) {
            event.synchronize();
            assertTrue(stream.query());
        }
        assertEquals(Stream.defaultStream(), Stream.current());
        assertEquals("", FakeDriver.violations());
        memory.close();
    }

    private void torture(SplittableRandom random, CountDownLatch start) {
        try {
            start.await();
            for (int i = 0; i < STEPS && wrong.get() == null; i++) {
                try {
                    step(random);
                    succeeded.incrementAndGet();
                } catch (IllegalStateException gone) {
                    closed.incrementAndGet();
                } catch (GpuStreamException failed) {
                    Status status = failed.status();
                    if (status == Status.INVALID_HANDLE) {
                        overtaken.incrementAndGet();
                    } else if (status != Status.NOT_READY && status != Status.NOT_RECORDED) {
                        throw failed;
                    }
                }
            }
        } catch (Throwable thrown) {
            thrown.printStackTrace();
            wrong.compareAndSet(null, thrown);
        }
    }

    private void step(SplittableRandom random) throws InterruptedException {
        int slot = random.nextInt(SLOTS);
        Stream stream = streams.get(random.nextInt(SLOTS));
        Event event = events.get(random.nextInt(SLOTS));
        switch (random.nextInt(18)) {
            case 0 -> stream.close();
            case 1 -> event.close();
            // The previous one is left to the reaper, or to the thread that still has it.
            case 2 -> streams.set(slot, Stream.create());
            case 3 -> events.set(slot, Event.timed());
            case 4 -> {
                Stream other = streams.getAndSet(slot, stream.retain());
                other.close();
            }
            case 5 -> events.set(slot, event.retain());
            case 6, 7 -> event.record(stream);
            case 8 -> stream.waitEvent(event);
            case 9 -> stream.waitStream(streams.get(slot));
            case 10 -> event.query();
            case 11 -> stream.query();
            case 12 -> {
                try (StreamScope scope = stream.scope()) {
                    event.record();
                    assertTrue(scope.isOpen());
                }
            }
            case 13 -> {
                if (random.nextInt(STEPS / 125) == 0) { // some hundred collections in all
                    System.gc();
                }
                events.get(slot).elapsedMs(event);
            }
            case 14 -> stream.copy(memory, buffer);
            case 15 -> {
                event.synchronize();
                stream.addDoneCallback(() -> {});
            }
            // As a call that has passed the check for "closed" when another thread closes the object.
            case 16 -> Failure.check(Native.CALLS.eventRecord(event.handle.number, stream.handle.number));
            default -> {
                stream.nativeHandle();
                assertTrue(stream.equals(stream) && stream.hashCode() == stream.hashCode());
                event.toString();
            }
        }
    }
}
