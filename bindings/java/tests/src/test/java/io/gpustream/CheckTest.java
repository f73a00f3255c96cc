// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import static io.gpustream.Support.assertStatus;
import static org.junit.jupiter.api.Assertions.*;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The ordering checker, names, and threads that may not wait. */
class CheckTest {
    /** Accesses that race, and some that an event, a clock, a block or an edge of a graph orders. */
    static final class Declaring {
        public static void main(String[] arguments) throws Exception {
            OrderingChecker.start();
            try (Stream upload = Stream.create();
                    Stream compute = Stream.create();
                    Event ready = Event.create();
                    HostMemory a = HostMemory.allocate(64);
                    HostMemory b = HostMemory.allocate(64);
                    HostMemory c = HostMemory.allocate(64)) {
                upload.setName("upload");
                compute.setName("compute");
                OrderingChecker.write(upload, a, "copy in");
                ready.record(upload);
                compute.waitEvent(ready);
                OrderingChecker.read(compute, a, "ordered");
                OrderingChecker.write(upload, a.slice(0, 8), "too early");
                CheckClock clock = new CheckClock();
                Thread waiter = new Thread(() -> {
                    upload.synchronize();
                    compute.synchronize();
                    clock.handover();
                });
                waiter.start();
                waiter.join();
                clock.handover();
                OrderingChecker.write(compute, a, "handed over");
                try (var fill = OrderingChecker.access(upload, List.of(), List.of(b), "fill")) {
                    ready.record(upload);
                }
                OrderingChecker.access(compute, List.of(b.slice(8, 8)), List.of(c), "early").close();
                compute.waitEvent(ready);
                OrderingChecker.access(compute, List.of(b), List.of(), "ordered").close();
                OrderingChecker.access(upload, List.of(), List.of(c)).close();
                assertThrows(NullPointerException.class, () -> refusedBlock(upload, b, null, "refused"));
                HostMemory closed = HostMemory.allocate(8);
                closed.close();
                assertThrows(IllegalStateException.class, () -> refusedBlock(upload, b, closed, "refused"));
                assertThrows(IllegalArgumentException.class, () -> refusedBlock(upload, b, b, "a\0b"));
                upload.synchronize();
                compute.synchronize(); // before the memory is freed, which would be another race
                nodes(upload, a);
                functions(upload, compute, a);
            }
            OrderingChecker.stop();
        }

        /** Declares nothing, though it would write to memory that the other stream reads. */
        private static void refusedBlock(Stream stream, Memory memory, Memory other, String label) {
            OrderingChecker.access(stream, List.of(), Arrays.asList(memory, other), label);
        }

        /** Work that a function submits is behind the work that the function is behind: no races. */
        private static void functions(Stream stream, Stream other, HostMemory memory) throws Exception {
            ExecutorService own = Executors.newSingleThreadExecutor();
            own.execute(() -> {}); // a thread that starts later would know more
            List<Consumer<Runnable>> ways = List.of(
                    stream::launchHost,
                    stream::addDoneCallback,
                    function -> stream.addDoneCallback(function, own),
                    function -> stream.completion().thenRun(function));
            for (int round = 0; round < 2 * ways.size(); ++round) { // by threads that have begun, the second time
                OrderingChecker.write(stream, memory, "before function " + round);
                CountDownLatch ran = new CountDownLatch(1);
                ways.get(round % ways.size()).accept(() -> {
                    OrderingChecker.write(other, memory, "by a function");
                    ran.countDown();
                });
                ran.await();
                other.synchronize();
                stream.synchronize();
            }
            own.shutdown();
            List<Callable<Object>> waits = List.of(
                    () -> stream.completion().get(),
                    () -> stream.completion().thenApply(nothing -> 1).join(),
                    () -> stream.synchronize(Duration.ofMinutes(1)),
                    () -> {
                        Future<Void> future = stream.completion();
                        while (!future.isDone()) {
                            Thread.onSpinWait();
                        }
                        return true;
                    });
            for (Callable<Object> wait : waits) {
                OrderingChecker.write(stream, memory, "before a wait");
                wait.call();
                OrderingChecker.write(other, memory, "behind it");
                other.synchronize();
            }
        }

        private static void nodes(Stream stream, HostMemory memory) {
            for (boolean edge : new boolean[] {true, false}) {
                try (Graph graph = Graph.create()) {
                    GraphNode first = graph.addEmpty();
                    GraphNode second = edge ? graph.addEmpty(first) : graph.addEmpty();
                    first.checkWrite(memory, edge ? "ordered" : "producer");
                    second.checkRead(memory.slice(0, 8), "consumer");
                    try (GraphExec exec = graph.instantiate()) {
                        exec.launch(stream);
                        stream.synchronize();
                    }
                }
            }
        }
    }

    @Test
    void whatNothingOrdersIsReported(@TempDir Path folder) throws Exception {
        Path file = folder.resolve("reports.jsonl");
        String said = new Child(Declaring.class)
                .environment("GPUSTREAM_CHECK_JSON", file.toString())
                .output();
        List<String> pairs = new ArrayList<>();
        for (String line : Files.readAllLines(file)) {
            JsonObject report = JsonParser.parseString(line).getAsJsonObject();
            pairs.add(report.getAsJsonObject("earlier").get("label").getAsString() + " / "
                    + report.getAsJsonObject("later").get("label").getAsString().replaceAll(":[0-9]+ ", ":N "));
        }
        List<String> wanted = List.of(
                "ordered / too early", "fill / early", "early / CheckTest.java:N in main", "producer / consumer");
        assertEquals(wanted, pairs);
        assertTrue(said.contains("upload") && said.contains("compute"), said);
    }

    /** Four races: for a function, for one that throws, for another function, and for none. */
    static final class Reporting {
        private static final BlockingQueue<String> FOUND = new LinkedBlockingQueue<>();

        public static void main(String[] arguments) throws InterruptedException {
            OrderingChecker.start();
            OrderingChecker.onReport((text, json) -> FOUND.add(text + "\t" + json));
            race("first");
            print(FOUND.poll(120, TimeUnit.SECONDS));
            OrderingChecker.onReport((text, json) -> {
                FOUND.add("throws");
                throw new IllegalStateException("in the report");
            });
            race("second");
            print(FOUND.poll(120, TimeUnit.SECONDS));
            OrderingChecker.onReport((text, json) -> FOUND.add(Thread.currentThread().getName() + "\t" + json));
            race("third");
            print(FOUND.poll(120, TimeUnit.SECONDS));
            OrderingChecker.resetReports();
            race("fourth");
            OrderingChecker.stop();
            if (!FOUND.isEmpty()) {
                throw new AssertionError("a report too many: " + FOUND);
            }
        }

        private static void race(String label) {
            try (Stream upload = Stream.create();
                    Stream compute = Stream.create();
                    HostMemory memory = HostMemory.allocate(64)) {
                OrderingChecker.write(upload, memory, label + ", \u00fc");
                OrderingChecker.write(compute, memory, label);
                upload.synchronize();
                compute.synchronize();
            }
        }

        private static void print(String report) {
            System.out.println("got " + report.replace("\n", " ").replace("\u00fc", "<u>"));
        }
    }

    @Test
    void reportsReachTheFunctionThatIsSet() throws Exception {
        List<String> lines = new Child(Reporting.class).output().lines().toList();
        List<String> got = lines.stream().filter(line -> line.startsWith("got ")).toList();
        assertEquals(3, got.size(), () -> String.join("\n", lines));
        String[] first = got.get(0).substring(4).split("\t");
        JsonObject report = JsonParser.parseString(first[1]).getAsJsonObject();
        assertEquals("first, <u>", report.getAsJsonObject("earlier").get("label").getAsString());
        assertTrue(first[0].contains("first, <u>") && !first[0].startsWith("gpustream:"), first[0]);
        assertEquals("got throws", got.get(1));
        assertTrue(lines.stream().anyMatch(line -> line.contains("in the report")), () -> String.join("\n", lines));
        assertTrue(got.get(2).startsWith("got gpustream-callbacks\t{") && got.get(2).contains("third"), got.get(2));
        // The fourth is on stderr, and no other.
        assertEquals(1, lines.stream().filter(line -> line.startsWith("gpustream: ")).count(), () -> String.join("\n", lines));
        assertTrue(lines.stream().anyMatch(line -> line.contains("fourth")), () -> String.join("\n", lines));
    }

    /** More than the first room that the text is given. */
    @Test
    void aStreamSaysWhatItWaitsFor() {
        String name = "\u00fc".repeat(31);
        List<Stream> chain = new ArrayList<>();
        try (Timeline timeline = Timeline.create()) {
            for (int i = 0; i < 12; ++i) {
                chain.add(Stream.create());
                chain.get(i).setName(name);
                if (i > 0) {
                    chain.get(i).waitStream(chain.get(i - 1));
                } else {
                    timeline.makeWait(1, chain.get(0));
                }
            }
            String text = chain.get(11).explain();
            assertTrue(text.getBytes(StandardCharsets.UTF_8).length > 1024 && text.contains("(\"" + name + "\") waits for stream 0x"), text);
            assertTrue(text.contains("which waits for timeline 0x") && text.contains("to reach 1 (it is at 0)"), text);
            timeline.set(1);
            chain.get(11).synchronize();
            try (Stream idle = Stream.create()) {
                assertTrue(idle.explain().endsWith(" has no known wait\n"), idle.explain());
            }
        } finally {
            chain.forEach(Stream::close);
        }
    }

    @Test
    void namesAreThoseOfTheObjects() {
        try (Stream stream = Stream.create();
                Event event = Event.create();
                Graph graph = Graph.create()) {
            stream.setName("stream");
            event.setName("Ereignis \u00fc");
            graph.setName("graph");
            graph.setName("");
            long number = event.handle();
            event.close();
            GpuStreamException gone = assertThrows(GpuStreamException.class, () -> Event.fromHandle(number));
            assertTrue(gone.getMessage().contains("Ereignis \u00fc"), gone.getMessage());
        }
    }

    @Test
    void waitsAreForbiddenForAThreadAndAWhile() throws Throwable {
        try (Stream stream = Stream.create()) {
            OrderingChecker.forbidSync(() -> {
                OrderingChecker.forbidSync(() -> assertStatus(Status.SYNC_FORBIDDEN, stream::synchronize));
                assertStatus(Status.SYNC_FORBIDDEN, stream::synchronize);
                stream.query();
                Support.onThread(stream::synchronize);
            });
            stream.synchronize();
            RuntimeException thrown = new RuntimeException("out");
            assertEquals(
                    thrown,
                    assertThrows(
                            RuntimeException.class,
                            () -> OrderingChecker.forbidSync(() -> {
                                throw thrown;
                            })));
            stream.synchronize();
            stream.completion().get();
        }
    }
}
