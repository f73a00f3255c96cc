// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.*;
import java.util.concurrent.*;
import org.junit.jupiter.api.Test;

/** Streams of tasks on virtual threads, which have nothing current of their own. */
class VirtualTaskStreamsTest {
    private static final int TASKS = 16;

    @Test
    void eachRunningTaskHasAStreamOfItsOwn() throws Exception {
        try (TaskStreams streams = TaskStreams.create(Device.of(0));
                ExecutorService executor = streams.executor(Executors.newVirtualThreadPerTaskExecutor())) {
            for (int round = 0; round < 3; round++) {
                CyclicBarrier all = new CyclicBarrier(TASKS);
                List<Future<Long>> futures = new ArrayList<>();
                for (int i = 0; i < TASKS; i++) {
                    futures.add(executor.submit(() -> {
                        all.await(Support.PATIENCE_SECONDS, TimeUnit.SECONDS);
                        assertEquals(Stream.defaultStream(), Stream.current());
                        return TaskStreams.stream().nativeHandle();
                    }));
                }
                Set<Long> found = new HashSet<>();
                for (Future<Long> future : futures) {
                    found.add(Support.get(future));
                }
                assertEquals(TASKS, found.size());
            }
            // A task ends a little after its result is there.
            assertTrue(streams.size() <= 3 * TASKS, () -> streams.size() + " streams");
        }
    }

    @Test
    void aTaskThatHandsOverAnotherOneIsBeforeIt() throws Exception {
        try (TaskStreams streams = TaskStreams.create(Device.of(0));
                ExecutorService executor = streams.executor(Executors.newVirtualThreadPerTaskExecutor())) {
            Future<Future<Boolean>> outer = executor.submit(() -> {
                Stream mine = TaskStreams.stream();
                mine.sleep(20_000_000);
                Event before = mine.recordEvent();
                return executor.submit(() -> {
                    TaskStreams.stream().synchronize();
                    return before.query();
                });
            });
            Future<Boolean> inner = Support.get(outer);
            assertTrue(Support.get(inner));
        }
    }
}
