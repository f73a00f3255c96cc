// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.sun.jna.Library;
import com.sun.jna.Native;
import io.gpustream.internal.Completions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What cannot start a thread at its first use does so later. */
@Tag("processes")
class FewThreadsTest {
    /** The C library's limits of a process. */
    interface Limits extends Library {
        int getrlimit(int resource, long[] limit);

        int setrlimit(int resource, long[] limit);
    }

    private static final int ADDRESS_SPACE = 9; // RLIMIT_AS

    /** As long as it is open no thread can be started: memory for stacks is missing. */
    private static final class NoThreads implements AutoCloseable {
        private final Limits limits = Native.load("c", Limits.class);
        private final long[] before = new long[2];

        NoThreads() throws IOException {
            check(limits.getrlimit(ADDRESS_SPACE, before));
            String size = Files.readString(Path.of("/proc/self/status")).split("VmSize:\\s*")[1].split(" ")[0];
            check(limits.setrlimit(ADDRESS_SPACE, new long[] {Long.parseLong(size) * 1024 + (1 << 19), before[1]}));
        }

        @Override
        public void close() {
            check(limits.setrlimit(ADDRESS_SPACE, before));
        }

        private static void check(int failed) {
            if (failed != 0) {
                throw new IllegalStateException("the limit cannot be changed");
            }
        }
    }

    private static boolean runs(String thread) {
        return Thread.getAllStackTraces().keySet().stream().anyMatch(one -> one.getName().equals(thread));
    }

    private static void endsWith(String word, Class<?> program) {
        Child child = new Child(program)
                .option("-Xint", "-Xlog:disable", "-XX:+AlwaysPreTouch", "-Xms64m")
                .environment("GPUSTREAM_BACKEND", "host");
        String output = child.output();
        assertEquals(word, output.strip().lines().reduce((first, last) -> last).orElse(""), output);
    }

    /** Uses what needs a thread of its own, first without and then with one. */
    static final class Starting {
        public static void main(String[] arguments) throws Exception {
            io.gpustream.Library.init();
            try (NoThreads ready = new NoThreads()) {
                // Loads the classes.
            }
            List<Event> events = new ArrayList<>();
            try (NoThreads without = new NoThreads()) {
                events.add(Event.create());
            }
            Support.check(!runs("gpustream-reaper"), "the reaper was started");
            for (int i = 0; i < 100; i++) {
                events.add(Event.create());
            }
            Support.check(runs("gpustream-reaper"), "there is no reaper");
            events.forEach(Event::close);
            try (Stream stream = Stream.create()) {
                try (NoThreads without = new NoThreads()) {
                    stream.completion();
                    throw new AssertionError("there was memory for a thread");
                } catch (OutOfMemoryError expected) {
                    // No thread.
                }
                stream.completion().get();
            }
            System.out.println("started");
        }
    }

    @Test
    void aThreadThatCouldNotBeStartedIsStartedLater() {
        endsWith("started", Starting.class);
    }

    /** Completes a future while the only thread for what depends on futures is busy, and no other can be started. */
    static final class Completing {
        public static void main(String[] arguments) throws Exception {
            CountDownLatch busy = new CountDownLatch(1);
            CountDownLatch free = new CountDownLatch(1);
            try (Stream stream = Stream.create();
                    Stream other = Stream.create();
                    Support.Gate gate = new Support.Gate(stream)) {
                try (NoThreads ready = new NoThreads()) {
                    // Loads the classes.
                }
                CompletableFuture<Void> done = stream.completion();
                other.completion().thenRun(() -> {
                    busy.countDown();
                    Support.await(free);
                });
                Support.await(busy);
                try (NoThreads without = new NoThreads()) {
                    gate.open();
                    Support.eventually(() -> Completions.pending() == 0);
                    Support.check(!done.isDone(), "there was memory for a thread");
                }
                Support.get(done);
                free.countDown();
            }
            System.out.println("completed");
        }
    }

    @Test
    void aFutureWaitsForAThread() {
        endsWith("completed", Completing.class);
    }

    /** Has all kinds of functions run while no thread for them can be started. */
    static final class Calling {
        public static void main(String[] arguments) throws Exception {
            AtomicInteger ran = new AtomicInteger();
            try (Stream stream = Stream.create();
                    Stream other = Stream.create();
                    Support.Gate gate = new Support.Gate(stream)) {
                try (NoThreads ready = new NoThreads()) {
                    // Loads the classes.
                }
                stream.addDoneCallback(ran::incrementAndGet);
                stream.launchHost(ran::incrementAndGet);
                other.defer(ran::incrementAndGet);
                try (NoThreads without = new NoThreads()) {
                    gate.open();
                    io.gpustream.Library.trim();
                    Support.eventually(() -> ran.get() == 3);
                    Support.check(!runs("gpustream-callbacks"), "there was memory for a thread");
                }
            }
            System.out.println("called");
        }
    }

    @Test
    void aFunctionNeedsNoThreadOfItsOwn() {
        endsWith("called", Calling.class);
    }

    /** Starts them all, and prints how many have inherited a thread local. */
    static final class Inheriting {
        public static void main(String[] arguments) throws Exception {
            AtomicInteger heirs = new AtomicInteger();
            InheritableThreadLocal<Integer> local = new InheritableThreadLocal<>() {
                @Override
                protected Integer childValue(Integer parent) {
                    heirs.incrementAndGet();
                    return parent;
                }
            };
            local.set(1);
            try (Stream stream = Stream.create();
                    Timeline timeline = Timeline.create()) {
                stream.addDoneCallback(() -> {});
                stream.completion().get();
                timeline.set(1);
                timeline.completion(1).get();
            }
            System.out.println(heirs.get());
        }
    }

    @Test
    void noThreadInheritsThreadLocals() {
        Child child = new Child(Inheriting.class).environment("GPUSTREAM_BACKEND", "host");
        assertEquals("0", child.output().strip());
    }
}
