// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import static io.gpustream.Support.assertNull;
import static io.gpustream.Support.assertStatus;
import static org.junit.jupiter.api.Assertions.*;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.gpustream.internal.Native;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Traces: what is in one, which one is meant, and what is refused. */
class TraceTest {
    private final List<Trace> started = new ArrayList<>();

    private Trace start(long operations, TraceFlag... flags) {
        Trace trace = Trace.start(operations, flags);
        started.add(trace);
        return trace;
    }

    @AfterEach
    void none() {
        started.forEach(Trace::close);
    }

    /** The events with a category and a name. */
    private static List<JsonObject> events(String text, String category, String name) {
        List<JsonObject> found = new ArrayList<>();
        for (JsonElement element : JsonParser.parseString(text).getAsJsonObject().getAsJsonArray("traceEvents")) {
            JsonObject event = element.getAsJsonObject();
            boolean wanted = event.has("cat") && event.get("cat").getAsString().equals(category);
            if (wanted && event.get("name").getAsString().equals(name)) {
                found.add(event);
            }
        }
        return found;
    }

    @Test
    void itHasRangesAndWaitsUntilItIsClosed(@TempDir Path folder) throws IOException {
        try (Stream upload = Stream.create();
                Stream compute = Stream.create();
                Event ready = Event.create()) {
            Range.push("before").close();
            Trace trace = start(0);
            try (trace;
                    Range step = Range.push("step, \u00fc")) {
                ready.record(upload);
                compute.waitEvent(ready);
                assertTrue(trace.isRunning());
                assertEquals(1, events(trace.text(), "cuda_sync", "Stream Wait Event").size(), "while it runs");
            }
            assertFalse(trace.isRunning());
            compute.waitEvent(ready);
            Range.push("after").close();
            String text = trace.text();
            List<JsonObject> waits = events(text, "cuda_sync", "Stream Wait Event");
            assertEquals(1, waits.size(), text);
            JsonObject arguments = waits.get(0).getAsJsonObject("args");
            assertTrue(arguments.has("wait_on_stream") && arguments.has("wait_on_cuda_event_record_corr_id"), text);
            assertEquals(1, events(text, "user_annotation", "step, \u00fc").size(), text);
            assertFalse(text.contains("\"before\"") || text.contains("\"after\""), text);

            Path file = folder.resolve("step.json");
            Files.writeString(file, "x".repeat(2 * text.length()));
            trace.write(file);
            assertEquals(1, events(Files.readString(file), "user_annotation", "step, \u00fc").size());
            assertThrows(NoSuchFileException.class, () -> trace.write(folder.resolve("none/step.json")));
            upload.synchronize();
            compute.synchronize();
        }
    }

    @Test
    void oneRunsAtATimeAndTheLastOneIsKept() {
        Trace first = start(0);
        assertStatus(Status.NOT_PERMITTED, Trace::start);
        Range.mark("first");
        first.close();
        first.close();
        assertEquals(1, events(first.text(), "user_annotation", "first").size(), first.text());

        Trace second = start(0);
        assertStatus(Status.NOT_RECORDED, first::text);
        first.close(); // that is not the second's end
        Range.mark("second");
        assertStatus(Status.NOT_PERMITTED, Trace::start);
        assertEquals(0, events(second.text(), "user_annotation", "first").size(), second.text());
        assertEquals(1, events(second.text(), "user_annotation", "second").size(), second.text());
        Support.onThread(second::close);
        start(0).close();
    }

    @Test
    void flagsAndNumbersArePassedOn() {
        try (Stream stream = Stream.create();
                StreamScope scope = stream.scope()) {
            assertTrue(scope.isOpen());
            for (TraceFlag[] flags : new TraceFlag[][] {{TraceFlag.DEVICE_TIMES}, {}}) {
                Trace trace = start(32, flags);
                for (int i = 0; i < 100; i++) {
                    Range.push("timed").close();
                }
                stream.synchronize();
                trace.close();
                String text = trace.text();
                assertEquals(flags.length > 0, !events(text, "gpu_user_annotation", "timed").isEmpty(), text);
                int kept = events(text, "user_annotation", "timed").size();
                assertTrue(kept > 0 && kept < 100, () -> kept + " are kept");
            }
        }
    }

    @Test
    void badInput() {
        assertThrows(IllegalArgumentException.class, () -> Trace.start(-1));
        assertNull("flag", () -> Trace.start((TraceFlag) null));
        Trace trace = start(16); // what was refused has started none
    }

    @Test
    void theyEndInReverseOrderAndOnTheirThread() {
        Range outer = Range.push("outer");
        Range inner = Range.push("inner");
        assertStatus(Status.SCOPE, outer::close);
        Support.onThread(() -> assertStatus(Status.SCOPE, inner::close));
        assertTrue(outer.isOpen() && inner.isOpen());
        inner.close();
        inner.close();
        outer.close();
        assertFalse(outer.isOpen() || inner.isOpen());
        assertEquals(Status.SCOPE.code(), Native.CALLS.rangePop(), "none is open in the library either");
    }

    @Test
    void startedOnesEndAnywhere() {
        StartedRange range = StartedRange.start("task");
        assertTrue(range.isOpen());
        Support.onThread(range::close);
        assertFalse(range.isOpen());
        range.close();
    }

    @Test
    void aProfilerIsSwitched() {
        Profiler.start();
        Profiler.stop();
    }
}
