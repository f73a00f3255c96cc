// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import static io.gpustream.Support.assertNull;
import static io.gpustream.Support.assertStatus;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The ordering checker, names, and threads that may not wait. */
class CheckTest {
    /** A program with one race, and one that a clock rules out. */
    static final class Racing {
        public static void main(String[] arguments) throws InterruptedException {
            OrderingChecker.start();
            try (Stream upload = Stream.create();
                    Stream compute = Stream.create();
                    Event ready = Event.create();
                    HostMemory memory = HostMemory.allocate(64)) {
                upload.setName("upload");
                compute.setName("compute");
                OrderingChecker.write(upload, memory, "copy in");
                ready.record(upload);
                compute.waitEvent(ready);
                OrderingChecker.read(compute, memory, "ordered");
                OrderingChecker.write(upload, memory.slice(0, 8), "too early");
                CheckClock clock = new CheckClock();
                Thread waiter = new Thread(() -> {
                    upload.synchronize();
                    compute.synchronize();
                    clock.handover();
                });
                waiter.start();
                waiter.join();
                clock.handover();
                OrderingChecker.write(compute, memory, "handed over");
                compute.synchronize(); // before the memory is freed, which would be another race
            }
            OrderingChecker.stop();
        }
    }

    @Test
    void whatNothingOrdersIsReported(@TempDir Path folder) throws Exception {
        Path file = folder.resolve("reports.jsonl");
        String said = new Child(Racing.class)
                .environment("GPUSTREAM_CHECK_JSON", file.toString())
                .run()
                .succeeded()
                .output();
        List<String> lines = Files.readAllLines(file);
        assertEquals(1, lines.size(), () -> String.join("\n", lines));
        JsonObject report = JsonParser.parseString(lines.get(0)).getAsJsonObject();
        assertEquals("ordered", report.getAsJsonObject("earlier").get("label").getAsString());
        assertEquals("too early", report.getAsJsonObject("later").get("label").getAsString());
        assertTrue(said.contains("upload") && said.contains("compute"), said);
    }

    /** Blocks of which two race, and some that do not. */
    static final class Blocks {
        public static void main(String[] arguments) {
            OrderingChecker.start();
            try (Stream upload = Stream.create();
                    Stream compute = Stream.create();
                    Event ready = Event.create();
                    HostMemory a = HostMemory.allocate(64);
                    HostMemory b = HostMemory.allocate(64);
                    HostMemory c = HostMemory.allocate(64)) {
                try (var fill = OrderingChecker.access(upload, List.of(), List.of(a, b), "fill")) {
                    ready.record(upload);
                }
                try (var early = OrderingChecker.access(compute, List.of(b.slice(8, 8)), List.of(c), "early")) {
                    early.close();
                }
                compute.waitEvent(ready);
                try (var scale = OrderingChecker.access(compute, List.of(a), List.of(), "ordered")) {
                    OrderingChecker.access(upload, List.of(a), List.of(), "reads beside it").close();
                }
                OrderingChecker.access(upload, List.of(), List.of(c)).close();
                assertThrows(IllegalStateException.class, () -> refusedBlock(upload, a, 0));
                assertThrows(NullPointerException.class, () -> refusedBlock(upload, a, 1));
                assertThrows(IllegalArgumentException.class, () -> refusedBlock(upload, a, 2));
                upload.synchronize();
                compute.synchronize();
            }
            OrderingChecker.stop();
        }

        /** Declares nothing, though each would write to memory that the other stream reads. */
        private static void refusedBlock(Stream stream, Memory memory, int how) {
            HostMemory closed = HostMemory.allocate(8);
            closed.close();
            List<Memory> written = new ArrayList<>(List.of(memory));
            if (how < 2) {
                written.add(how == 0 ? closed : null);
            }
            OrderingChecker.access(stream, List.of(), written, how == 2 ? "a\0b" : "refused");
        }
    }

    @Test
    void blocksDeclareWhatTheySubmit(@TempDir Path folder) throws Exception {
        Path file = folder.resolve("reports.jsonl");
        new Child(Blocks.class)
                .environment("GPUSTREAM_CHECK_JSON", file.toString())
                .run()
                .succeeded();
        List<String> pairs = new ArrayList<>();
        for (String line : Files.readAllLines(file)) {
            JsonObject report = JsonParser.parseString(line).getAsJsonObject();
            pairs.add(report.getAsJsonObject("earlier").get("label").getAsString() + " / "
                    + report.getAsJsonObject("later").get("label").getAsString().replaceAll(":[0-9]+ ", ":N "));
        }
        assertEquals(List.of("fill / early", "early / CheckTest.java:N in main"), pairs);
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
        List<String> lines = new Child(Reporting.class).run().succeeded().output().lines().toList();
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

    @Test
    void badInput() {
        try (Stream stream = Stream.create();
                HostMemory memory = HostMemory.allocate(8)) {
            assertNull("flag", () -> OrderingChecker.start((CheckFlag) null));
            assertThrows(IllegalArgumentException.class, () -> OrderingChecker.read(stream, memory, "a\0b"));
            assertThrows(IllegalArgumentException.class, () -> stream.setName("a\0b"));
            memory.close();
            assertThrows(IllegalStateException.class, () -> OrderingChecker.read(stream, memory, "x"));
            stream.close();
            assertThrows(IllegalStateException.class, () -> stream.setName("x"));
            assertThrows(IllegalStateException.class, stream::explain);
            assertThrows(IllegalStateException.class, () -> OrderingChecker.access(stream, List.of(), List.of()));
        }
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
                assertTrue(idle.explain().endsWith(" is not known to wait for anything\n"), idle.explain());
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
