// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Segments of page-locked memory whose device is reset, in a process of their own as the device does not come back. */
class ResetSegmentTest {
    /** Prints what becomes of each access. */
    static final class Resetting {
        public static void main(String[] arguments) {
            Device device = Device.of(1);
            HostMemory other = HostMemory.allocate(64);
            MemorySegment stays = other.asSegment();
            HostMemory memory;
            HostMemory untouched;
            try (DeviceScope scope = device.scope()) {
                memory = HostMemory.allocate(64);
                untouched = HostMemory.allocate(64);
            }
            Stream stream = Stream.create(device);
            HostBuffer buffer = HostBuffer.allocate(64, stream);
            MemorySegment whole = memory.asSegment();
            MemorySegment part = memory.slice(8, 8).asSegment();
            MemorySegment pooled = buffer.asSegment();
            // A reset that is refused leaves the memory usable.
            Capture capture = stream.capture();
            report(device::reset);
            capture.close();
            report(() -> memory.asSegment().set(ValueLayout.JAVA_LONG, 0, 1));
            report(() -> buffer.asSegment().set(ValueLayout.JAVA_LONG, 0, 1));
            MemorySegment again = memory.asSegment();
            device.reset();
            for (MemorySegment segment : List.of(whole, part, pooled, again)) {
                report(() -> segment.get(ValueLayout.JAVA_LONG, 0));
            }
            report(memory::asSegment);
            report(untouched::asSegment);
            report(untouched::asByteBuffer);
            report(buffer::asSegment);
            report(() -> stays.set(ValueLayout.JAVA_LONG, 0, 1));
            report(memory::close);
            report(untouched::close);
            report(buffer::close);
            other.close();
        }

        private static void report(Runnable use) {
            try {
                use.run();
                System.out.println("fine");
            } catch (GpuStreamException failed) {
                System.out.println(failed.status());
            } catch (IllegalStateException ended) {
                System.out.println("ended");
            }
        }
    }

    private static List<String> run(String backend) {
        Child child = new Child(Resetting.class).environment("GPUSTREAM_BACKEND", backend);
        return child.output().lines().toList();
    }

    @Test
    void accessAfterAResetIsRefused() {
        List<String> outcome = new ArrayList<>(List.of("CAPTURING", "fine", "fine"));
        outcome.addAll(List.of("ended", "ended", "ended", "ended")); // segments of before
        outcome.addAll(List.of("ended", "ended", "ended", "CONTEXT_LOST")); // new ones
        outcome.addAll(List.of("fine", "fine", "fine", "fine")); // of another device; the ends
        assertEquals(outcome, run("cuda"));
    }

    @Test
    void memoryOfTheHostBackendStays() {
        List<String> outcome = new ArrayList<>(List.of("CAPTURING", "fine", "fine", "fine", "fine", "fine", "fine"));
        outcome.addAll(List.of("fine", "fine", "fine", "CONTEXT_LOST", "fine", "fine", "fine", "fine"));
        assertEquals(outcome, run("host"));
    }

    /** What has segments is still noticed if it is never closed. */
    @Test
    void forgottenMemoryBecomesUnreachable() {
        try (Stream stream = Stream.create()) {
            List<WeakReference<Memory>> forgotten =
                    List.of(withSegment(HostMemory.allocate(64)), withSegment(HostBuffer.allocate(64, stream)));
            forgotten.forEach(Support::assertCollected);
        }
    }

    private static WeakReference<Memory> withSegment(Memory memory) {
        memory.asSegment();
        return new WeakReference<>(memory);
    }
}
