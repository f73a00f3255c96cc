// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import static io.gpustream.Support.assertStatus;
import static org.junit.jupiter.api.Assertions.*;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class CompletionQueueTest {
    private static final Duration LONG = Duration.ofSeconds(Support.PATIENCE_SECONDS);

    private final CompletionQueue queue = CompletionQueue.create(8);
    private final Stream stream = Stream.create();

    @AfterEach
    void ends() {
        stream.close();
        queue.close();
    }

    private static List<Long> tokens(List<CompletionQueue.Entry> entries) {
        return entries.stream().map(CompletionQueue.Entry::token).toList();
    }

    @Test
    void entriesComeInOrder() throws Exception {
        try (Event event = Event.create();
                Support.Gate gate = new Support.Gate(stream)) {
            long before = System.nanoTime();
            queue.add(stream, 1);
            event.record(stream);
            queue.add(event, -2);
            event.close();
            assertEquals(List.of(), queue.poll(8));
            assertTrue(queue.fd() > 2 && queue.fd() == queue.fd());
            assertEquals(List.of(), queue.await(8, Duration.ofMillis(1)));
            gate.open();
            List<CompletionQueue.Entry> entries = new ArrayList<>(queue.await(1, LONG));
            assertEquals(1, entries.size());
            while (entries.size() < 2) {
                entries.addAll(queue.await(8, LONG));
            }
            assertEquals(List.of(1L, -2L), tokens(entries));
            CompletionQueue.Entry entry = entries.get(1);
            assertEquals(Status.OK, entry.status());
            assertEquals(stream.device(), entry.device());
            assertEquals(0, entry.nativeCode());
            assertTrue(entry.timeNanos() - before > 0 && entry.timeNanos() <= System.nanoTime());
            entry.check();
        }
    }

    @Test
    void cancelledEntriesComeAtOnce() throws Exception {
        try (Support.Gate gate = new Support.Gate(stream)) {
            queue.add(stream, 5);
            queue.add(stream, 5);
            queue.add(stream, 6);
            assertEquals(2, queue.cancel(5));
            assertEquals(0, queue.cancel(5));
            List<CompletionQueue.Entry> entries = queue.await(8, LONG);
            assertEquals(List.of(5L, 5L), tokens(entries));
            assertEquals(Status.CANCELLED, entries.get(0).status());
            assertStatus(Status.CANCELLED, entries.get(0)::check);
            gate.open();
            assertEquals(List.of(6L), tokens(queue.await(8, LONG)));
        }
    }

    @Test
    void anInterruptEndsAWait() throws Exception {
        var waiter = new Support.Running<>(() -> queue.await(8, LONG)).untilItWaits();
        waiter.thread.interrupt();
        assertInstanceOf(InterruptedException.class, waiter.thrown());
        queue.add(stream, 3);
        List<CompletionQueue.Entry> later = new ArrayList<>();
        while (later.isEmpty()) {
            later.addAll(queue.await(8, LONG)); // a wake that was left over returns nothing
        }
        assertEquals(List.of(3L), tokens(later), "nothing was lost");
        Support.onThread(() -> {
            Thread.currentThread().interrupt();
            assertThrows(InterruptedException.class, () -> queue.await(8, LONG));
        });
    }

    @Test
    void wakeAndCloseEndWaits() throws Exception {
        queue.wake();
        assertEquals(List.of(), queue.await(8, LONG));
        var waiter = new Support.Running<>(() -> queue.await(8, LONG)).untilItWaits();
        queue.close();
        Throwable result = waiter.thrown();
        assertTrue(
                result instanceof GpuStreamException thrown && thrown.status() == Status.INVALID_HANDLE
                        || result instanceof IllegalStateException, // it had not begun
                () -> "" + result);
    }

    @Test
    void wrongUse() throws Exception {
        assertStatus(Status.INVALID_ARGUMENT, () -> CompletionQueue.create(0));
        assertThrows(IllegalArgumentException.class, () -> CompletionQueue.create(-1));
        assertThrows(IllegalArgumentException.class, () -> queue.poll(0));
        assertThrows(IllegalArgumentException.class, () -> queue.await(0, LONG));
        assertEquals(List.of(), queue.await(1, Duration.ZERO));
        try (Capture capture = stream.capture()) {
            assertStatus(Status.CAPTURING, () -> queue.add(stream, 1));
            assertTrue(capture.isOpen());
        }
    }
}
