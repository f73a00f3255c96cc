// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import static io.gpustream.Support.assertStatus;
import static org.junit.jupiter.api.Assertions.*;

import java.util.*;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.Test;

class StreamPoolTest {
    @Test
    void streamsAreGivenOutByIndexAndInTurn() {
        Device device = Device.of(1);
        List<Stream> streams = new ArrayList<>();
        try (StreamPool pool = StreamPool.create(3, Stream.builder().device(device).priority(-1))) {
            assertEquals(3, pool.size());
            pool.forEach(streams::add);
            Set<Long> natives = new HashSet<>();
            for (Stream stream : streams) {
                assertTrue(natives.add(stream.nativeHandle()));
                assertEquals(device, stream.device());
                assertEquals(-1, stream.priority());
            }
            for (int index : new int[] {0, 2, 3, -1, -3, Integer.MAX_VALUE, Integer.MIN_VALUE}) {
                assertSame(streams.get(Math.floorMod(index, 3)), pool.get(index));
            }
            for (int turn = 0; turn < 7; turn++) {
                assertSame(pool.get(turn), pool.next());
            }
        }
        for (Stream stream : streams) {
            assertFalse(stream.isOpen());
        }
    }

    @Test
    void threadsShareItEvenly() throws InterruptedException {
        try (StreamPool pool = StreamPool.create(4)) {
            AtomicIntegerArray seen = new AtomicIntegerArray(4);
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                threads.add(new Thread(() -> {
                    for (int turn = 0; turn < 100; turn++) {
                        Stream stream = pool.next();
                        for (int index = 0; index < 4; index++) {
                            if (pool.get(index) == stream) {
                                seen.incrementAndGet(index);
                            }
                        }
                    }
                }));
            }
            threads.forEach(Thread::start);
            for (Thread thread : threads) {
                thread.join();
            }
            assertArrayEquals(new int[] {100, 100, 100, 100}, new int[] {seen.get(0), seen.get(1), seen.get(2), seen.get(3)});
        }
    }

    @Test
    void allStreamsOrNone() {
        for (int wrong : new int[] {0, -1, Integer.MIN_VALUE}) {
            assertThrows(IllegalArgumentException.class, () -> StreamPool.create(wrong));
        }
        assertStatus(Status.INVALID_DEVICE, () -> StreamPool.create(2, Stream.builder().device(Device.of(777))));
    }
}
