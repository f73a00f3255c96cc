// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import static io.gpustream.Support.assertNull;
import static io.gpustream.Support.assertStatus;
import static org.junit.jupiter.api.Assertions.*;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

class KernelTest {
    private static final Device HOST = Device.of(Backend.HOST, 0);

    private static void scale(KernelModule module) {
        try (Stream stream = Stream.create(HOST);
                HostMemory memory = HostMemory.allocate(32 * 4)) {
            Kernel kernel = module.kernel("parity_scale");
            kernel.launch(LaunchConfig.of(4, 8), stream, memory, 5);
            stream.synchronize();
            ByteBuffer result = memory.asByteBuffer();
            for (int i = 0; i < 32; i++) {
                assertEquals(5 * i, result.getInt(4 * i));
            }
        }
    }

    @Test
    void kernelsFromAFileAndFromMemory() throws IOException {
        try (KernelModule file = KernelModule.load(HOST, Support.PARITY_LIBRARY);
                KernelModule memory = KernelModule.load(HOST, Files.readAllBytes(Support.PARITY_LIBRARY))) {
            assertEquals(HOST, file.device());
            scale(file);
            scale(memory);
        }
    }

    @Test
    void wrongModulesAndLaunchesAreRefused() {
        assertStatus(Status.INVALID_ARGUMENT, () -> KernelModule.load(HOST, Path.of("/nonexistent/kernels.so")));
        assertStatus(Status.INVALID_ARGUMENT, () -> KernelModule.load(HOST, new byte[] {1, 2, 3}));
        assertThrows(IllegalArgumentException.class, () -> KernelModule.load(HOST, new byte[0]));
        KernelModule module = KernelModule.load(HOST, Support.PARITY_LIBRARY);
        assertStatus(Status.INVALID_ARGUMENT, () -> module.kernel("no_such_kernel"));
        assertThrows(IllegalArgumentException.class, () -> module.kernel("parity_scale\0 and more"));
        Kernel kernel = module.kernel("parity_scale");
        LaunchConfig config = LaunchConfig.of(1, 1);
        try (Stream stream = Stream.create(HOST);
                Stream elsewhere = Stream.create(Device.of(Backend.HOST, 1))) {
            assertThrows(IllegalArgumentException.class, () -> kernel.launch(config, stream, "text"));
            assertNull("arguments[1]", () -> kernel.launch(config, stream, 1, null));
            assertStatus(Status.DEVICE_MISMATCH, () -> kernel.launch(config, elsewhere, 1L, 1));
            module.close();
        }
        assertThrows(IllegalArgumentException.class, () -> LaunchConfig.of(0, 1));
        assertThrows(IllegalArgumentException.class, () -> new LaunchConfig(1, 1, 1, 1, 1, 1, -1));
        assertTrue(module.toString().contains("closed"));
    }

    private static void refused(String text, Executable launch) {
        GpuStreamException thrown = assertThrows(GpuStreamException.class, launch);
        assertEquals(Status.INVALID_ARGUMENT, thrown.status(), thrown::getMessage);
        assertTrue(thrown.getMessage().contains(text), thrown::getMessage);
    }

    /** Each attribute reaches the library: refusals name its numbers. */
    @Test
    void attributesOfLaunches() {
        LaunchConfig six = LaunchConfig.of(6, 4);
        LaunchAttributes all = LaunchAttributes.NONE.programmatic().remoteDomain().priority(-1).cluster(2, 1, 1);
        assertEquals(OptionalInt.of(-1), all.priority());
        assertEquals(OptionalInt.empty(), LaunchAttributes.NONE.cooperative().priority());
        try (KernelModule module = KernelModule.load(HOST, Support.PARITY_LIBRARY);
                Stream stream = Stream.create(HOST);
                HostMemory memory = HostMemory.allocate(24 * 4);
                Event event = Event.create();
                Event timed = Event.timed();
                Graph graph = Graph.create(HOST)) {
            Kernel kernel = module.kernel("parity_scale");
            for (LaunchAttributes some : List.of(all, LaunchAttributes.NONE.cooperative())) {
                kernel.launchRecording(event, six.with(some), stream, memory, 3);
                event.synchronize();
                stream.synchronize();
                assertEquals(3 * 23, memory.asByteBuffer().getInt(4 * 23));
                memory.asByteBuffer().putInt(4 * 23, 0);
            }
            assertTrue(event.device().isPresent(), "the launches have recorded it");
            refused("without GS_EVENT_TIMING", () -> kernel.launchRecording(timed, six, stream, memory, 3));
            LaunchAttributes none = LaunchAttributes.NONE;
            refused("4 x 1 x 1", () -> kernel.launch(six.with(none.cluster(4, 1, 1)), stream, memory, 3));
            refused("1 x 2 x 1", () -> kernel.launch(six.with(none.cluster(1, 2, 1)), stream, memory, 3));
            refused("1 x 1 x 2", () -> graph.addKernel(kernel, six.with(none.cluster(1, 1, 2)), List.of(memory, 3)));
            refused("launch fewer", () -> kernel.launch(
                    LaunchConfig.of(1_000_000, 1024).with(none.cooperative()), stream, memory, 3));
            refused("GS_LAUNCH_PROGRAMMATIC", () -> graph.addKernel(kernel, six.with(all), List.of(memory, 3)));
            graph.addKernel(kernel, six.with(none.priority(-1).cluster(2, 1, 1)), List.of(memory, 3));
            GraphTest.run(graph);
            assertEquals(3 * 23, memory.asByteBuffer().getInt(4 * 23));
        }
    }

    /** The fake driver runs no kernels of PTX, and says by which of its functions it was asked. */
    @Test
    void attributesGoToTheDriversNewerFunction() {
        Device device = Device.of(Backend.CUDA, 0);
        Path ptx = Support.SOURCE.resolve("examples/pipeline/kernels.ptx");
        try (KernelModule module = KernelModule.load(device, ptx);
                Stream stream = Stream.create(device)) {
            Kernel kernel = module.kernel("crc_and_histogram");
            LaunchConfig config = LaunchConfig.of(1, 1);
            for (LaunchAttributes some : List.of(LaunchAttributes.NONE, LaunchAttributes.NONE.programmatic())) {
                GpuStreamException thrown =
                        assertThrows(GpuStreamException.class, () -> kernel.launch(config.with(some), stream));
                assertEquals(some == LaunchAttributes.NONE ? "cuLaunchKernel" : "cuLaunchKernelEx", thrown.nativeFunction());
            }
        }
        String refused = "kernel 'crc_and_histogram' was launched, which this driver cannot run\n";
        assertEquals(refused.repeat(2), FakeDriver.takeViolations());
    }
}
