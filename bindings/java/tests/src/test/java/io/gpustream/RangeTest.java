// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import static io.gpustream.Support.assertStatus;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gpustream.internal.Native;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Ranges and marks: what a tool of NVTX hears, and the rules of threads and order. */
class RangeTest {
    /** A program whose calls a tool hears. */
    static final class Heard {
        public static void main(String[] arguments) throws InterruptedException {
            try (Range outer = Range.push("outer")) {
                try (Range inner = Range.push("größer " + "n".repeat(2000))) {
                    Range.mark("");
                }
                StartedRange range = StartedRange.start("elsewhere");
                Thread other = new Thread(range::close);
                other.start();
                other.join();
                range.close();
            }
        }
    }

    @Test
    void aToolHearsThem(@TempDir Path folder) throws Exception {
        Path log = folder.resolve("heard.txt");
        Path tool = Path.of(System.getProperty("gpustream.binary"), "tests/support/fake_nvtx/libfake_nvtx.so");
        assertTrue(Files.exists(tool), tool::toString);
        new Child(Heard.class)
                .environment("NVTX_INJECTION64_PATH", tool.toString())
                .environment("FAKE_NVTX_LOG", log.toString())
                .run()
                .succeeded();
        List<String> heard = Files.readAllLines(log).stream()
                .filter(line -> line.matches("(push|pop|mark|start|end) .*"))
                .toList();
        assertEquals(
                List.of(
                        "push 0 outer",
                        "push 1 größer " + "n".repeat(2000),
                        "mark 0 ",
                        "pop 0 ",
                        "start 7001 elsewhere",
                        "end 7001 ",
                        "pop 0 "),
                heard);
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
    void theyAreBounded() {
        Support.onThread(() -> {
            List<Range> open = new ArrayList<>();
            for (int i = 0; i < 256; i++) {
                open.add(0, Range.push("deep"));
            }
            assertStatus(Status.FULL, () -> Range.push("too deep"));
            open.forEach(Range::close);
            Range.push("once more").close();
        });
        List<StartedRange> started = new ArrayList<>();
        GpuStreamException full = assertThrows(GpuStreamException.class, () -> {
            for (int i = 0; i <= 1024; i++) {
                started.add(StartedRange.start("many"));
            }
        });
        assertEquals(Status.FULL, full.status());
        started.forEach(StartedRange::close);
        StartedRange.start("again").close();
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
    void textsHaveNoNul() {
        assertThrows(IllegalArgumentException.class, () -> Range.push("a\0b"));
        assertThrows(IllegalArgumentException.class, () -> Range.mark("a\0b"));
        assertThrows(IllegalArgumentException.class, () -> StartedRange.start("a\0b"));
        assertEquals(Status.SCOPE.code(), Native.CALLS.rangePop());
    }

    @Test
    void aProfilerIsSwitched() {
        Profiler.start();
        Profiler.stop();
    }
}
