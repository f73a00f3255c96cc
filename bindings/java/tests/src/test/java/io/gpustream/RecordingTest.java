// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import static org.junit.jupiter.api.Assertions.*;

import io.gpustream.recording.Recorded;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a recording of the JDK's flight recorder has of ranges, marks and waits. */
@Tag("processes")
class RecordingTest {
    private static final String NATIVES = ",io.gpustream.natives";

    @TempDir
    Path folder;

    private static List<RecordedEvent> read(Path file, String kind) throws IOException {
        List<RecordedEvent> found = new ArrayList<>();
        for (RecordedEvent event : RecordingFile.readAllEvents(file)) {
            if (event.getEventType().getName().equals("io.gpustream." + kind)) {
                found.add(event);
            }
        }
        return found;
    }

    private static List<String> texts(List<RecordedEvent> events, String field) {
        return events.stream().map(event -> event.getString(field)).sorted().toList();
    }

    private static RecordedEvent named(List<RecordedEvent> ranges, String name) {
        return ranges.stream().filter(range -> range.getString("name").equals(name)).findFirst().orElseThrow();
    }

    @Test
    void rangesMarksAndWaitsAreEvents() throws IOException {
        Path file = folder.resolve("all.jfr");
        String said = new Child(Recorded.class, file.toString()).output();
        List<RecordedEvent> ranges = read(file, "Range");
        assertEquals(List.of("request", "step", "upload"), texts(ranges, "name"));
        RecordedEvent step = named(ranges, "step");
        RecordedEvent upload = named(ranges, "upload");
        assertFalse(upload.getStartTime().isBefore(step.getStartTime()));
        assertFalse(upload.getEndTime().isAfter(step.getEndTime()));
        assertEquals("main", upload.getThread().getJavaName());
        assertEquals("finisher", named(ranges, "request").getThread().getJavaName());
        assertEquals(List.of("gpustream"), step.getEventType().getCategoryNames());
        List<RecordedEvent> marks = read(file, "Mark");
        assertEquals(List.of("first chunk"), texts(marks, "text"));
        assertFalse(marks.get(0).getStartTime().isBefore(upload.getStartTime()));

        List<RecordedEvent> waits = read(file, "Wait");
        assertTrue(
                new TreeSet<>(texts(waits, "method")).containsAll(List.of(
                        "Device.synchronize",
                        "Event.synchronize",
                        "Stream.synchronize",
                        "Timeline.synchronize")),
                () -> waits.toString());
        Matcher handle = Pattern.compile("stream 0x([0-9a-f]+)").matcher(said);
        assertTrue(handle.find(), said);
        List<RecordedEvent> ofStream = waits.stream()
                .filter(wait -> wait.getString("method").equals("Stream.synchronize"))
                .toList();
        assertEquals(2, ofStream.size()); // one until it was done, one with a limit
        for (RecordedEvent wait : ofStream) {
            assertEquals(Long.parseLong(handle.group(1), 16), wait.getLong("handle"));
            assertTrue(
                    wait.getStackTrace().getFrames().stream().anyMatch(frame -> frame.getMethod()
                            .getType()
                            .getName()
                            .equals("io.gpustream.recording.Recorded")),
                    wait::toString);
        }
        // The wait that the time was over for, and the one for what was signalled.
        assertEquals(
                2,
                waits.stream()
                        .filter(wait -> wait.getString("method").equals("Timeline.synchronize"))
                        .count());
    }

    @Test
    void nothingIsMissedWithoutTheModule() {
        String said = new Child(Recorded.class, "absent")
                .option("--limit-modules", "java.base,java.logging")
                .output();
        assertTrue(said.contains("null has done it"), said); // in the unnamed module
    }

    /** With the library as a module, and others beside it. */
    static Child asModule(String modules, String argument) {
        return new Child(Recorded.class, argument)
                .without("/gpustream/target")
                .without("natives")
                .option("--module-path", Child.element("/gpustream/target") + ":" + Child.element("natives"))
                .option("--limit-modules", "io.gpustream,io.gpustream.natives,java.logging" + modules)
                .option("--add-modules", "io.gpustream" + modules)
                .withoutOption("--enable-native-access=ALL-UNNAMED")
                .option("--enable-native-access=io.gpustream");
    }

    @Test
    void asAModule() throws IOException {
        Path file = folder.resolve("module.jfr");
        String said = asModule(NATIVES + ",jdk.jfr", file.toString()).output();
        assertTrue(said.contains("io.gpustream has done it"), said);
        assertEquals(3, read(file, "Range").size());
        assertTrue(Files.size(file) > 0 && !read(file, "Wait").isEmpty());
        asModule(NATIVES, "absent").run().succeeded();
    }
}
