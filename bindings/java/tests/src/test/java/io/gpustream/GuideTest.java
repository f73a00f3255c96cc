// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The Java programs in the guide are those that run here, line by line. */
class GuideTest {
    private static final Path GUIDE = Support.SOURCE.resolve("docs/guide");
    private static final Path TESTS = Support.SOURCE.resolve("bindings/java/tests/src/test/java/io/gpustream");

    /** The lines of a program without comments and layout. */
    private static List<String> lines(String text) {
        return text.lines()
                .map(line -> line.replaceAll("//.*", "").strip())
                .filter(line -> !line.isEmpty())
                .toList();
    }

    private static List<List<String>> programs(String page) throws IOException {
        List<List<String>> found = new ArrayList<>();
        String[] parts = Files.readString(GUIDE.resolve(page)).split("```");
        for (int i = 1; i < parts.length; i += 2) {
            if (parts[i].startsWith("java\n")) {
                found.add(lines(parts[i].substring(5)));
            }
        }
        return found;
    }

    private static boolean contains(List<String> whole, List<String> part) {
        for (int i = 0; i + part.size() <= whole.size(); i++) {
            if (whole.subList(i, i + part.size()).equals(part)) {
                return true;
            }
        }
        return false;
    }

    @Test
    void programsOfTheGuideAreTested() throws IOException {
        List<String> tested = lines(Files.readString(TESTS.resolve("GuideTest.java")));
        int programs = 0;
        for (String page : List.of("graphs.md", "async.md", "timelines.md", "tracing.md", "memory.md")) {
            for (List<String> program : programs(page)) {
                programs++;
                assertTrue(contains(tested, program), () -> page + " has a program that is not tested: " + program);
            }
        }
        assertEquals(6, programs);
    }

    @Test
    void buffers() {
        try (Stream stream = Stream.create();
                Stream other = Stream.create()) {
            // docs/guide/memory.md
            try (HostBuffer input = HostBuffer.allocate(4096, stream);
                    DeviceBuffer data = DeviceBuffer.allocate(4096, stream);
                    HostBuffer output = HostBuffer.allocate(4096, other);
                    StreamScope scope = stream.scope()) {
                input.asByteBuffer().putInt(0, 42);
                data.copyFrom(input);
                data.slice(8, 8).fill(0xFF);
                other.waitStream(stream);
                output.copyFrom(data, other);
                assertEquals(42, output.asByteBuffer().getInt(0));
            }
        }
    }

    @Test
    void traces(@TempDir Path folder) throws IOException {
        try (Stream upload = Stream.create();
                Stream compute = Stream.create();
                Event uploaded = Event.create()) {
            // docs/guide/tracing.md
            Trace one = Trace.start();
            try (one; Range step = Range.push("step")) {
                uploaded.record(upload);
                compute.waitEvent(uploaded);
            }
            one.write(folder.resolve("step.json"));
            assertTrue(Files.readString(folder.resolve("step.json")).contains("wait_on_stream"));
            compute.synchronize();
        }
    }

    @Test
    void graphs() {
        LongAdder launches = new LongAdder();
        try (Stream stream = Stream.create();
                Stream side = Stream.create();
                Graph other = Graph.create();
                HostMemory input = HostMemory.allocate(8);
                HostMemory output = HostMemory.allocate(8);
                HostMemory word = HostMemory.allocate(4)) {
            ByteBuffer host = ByteBuffer.allocateDirect(8).put(0, (byte) 7);
            word.asByteBuffer().order(ByteOrder.nativeOrder()).putInt(0, 0);
            Graph work;
            try (var capture = stream.capture()) {
                stream.copy(input, host);
                side.waitStream(stream);
                side.fill(output, 0);
                stream.waitStream(side);
                work = capture.end();
            }
            work.addHost(() -> launches.increment(), work.nodes().get(0));
            GraphCondition again = work.addCondition(ConditionKind.WHILE, 1, 1, work.nodes().get(1));
            GraphNode step = again.body().addCopy(output, input);
            again.body().setCondition(again, word, step);
            try (work; GraphExec exec = work.instantiate()) {
                for (int i = 0; i < 1000; i++) {
                    exec.launch(stream);
                }
                UpdateResult update = exec.update(other);
                if (!update.isUpdated()) {
                    exec.close();
                }
            }
            stream.synchronize();
            assertEquals(7, output.asByteBuffer().get(0));
            assertEquals(1000, launches.sum());
        }
    }

    @Test
    void timelines() throws Exception {
        try (Stream consumer = Stream.create();
                Stream producer = Stream.create()) {
            try (Timeline ready = Timeline.create()) {
                ready.makeWait(1, consumer);
                CompletableFuture<Void> reached = ready.completion(1);
                ready.signal(1, producer);
                reached.orTimeout(10, TimeUnit.SECONDS).join();
                if (!ready.synchronize(2, Duration.ofMillis(1))) {
                    ready.abort();
                }
            }
            consumer.synchronize();
        }
    }

    @Test
    void waiting() throws Exception {
        List<String> results = Collections.synchronizedList(new ArrayList<>());
        ExecutorService executor = Executors.newSingleThreadExecutor();
        HostMemory memory = HostMemory.allocate(8);
        try (Stream stream = Stream.create();
                Event event = Event.create();
                Event other = Event.create()) {
            stream.sleep(1000);
            event.record(stream);
            CompletableFuture<Void> done = stream.completion();
            CompletableFuture<Void> reached = event.completion();
            CompletableFuture.allOf(done, reached)
                    .orTimeout(10, TimeUnit.SECONDS)
                    .thenRunAsync(() -> results.add("done"), executor)
                    .join();

            if (!stream.synchronize(Duration.ofMillis(100))) {
                results.add("still at work");
            }
            OptionalInt first = Event.synchronizeAny(List.of(event, other), Duration.ofSeconds(1));
            stream.defer(memory::close);

            ExecutorService tasks = StreamContext.carrying(executor);
            try (StreamScope scope = stream.scope()) {
                tasks.submit(() -> results.add(Stream.current().equals(stream) ? "carried" : "lost")).get();
            }
            assertEquals(OptionalInt.of(0), first);
            try (CompletionQueue queue = CompletionQueue.create(1024)) {
                queue.add(stream, 42);
                queue.add(event, 43);
                int awaited = 2;
                while (awaited > 0) {
                    for (var entry : queue.await(16, Duration.ofSeconds(1))) {
                        entry.check();
                        results.add("work " + entry.token());
                        awaited--;
                    }
                }
            }
            assertEquals(Set.of("done", "carried", "work 42", "work 43"), Set.copyOf(results));
        }
        executor.shutdown();
        Support.eventually(() -> {
            Library.trim();
            return memory.toString().contains("closed");
        });
    }
}
