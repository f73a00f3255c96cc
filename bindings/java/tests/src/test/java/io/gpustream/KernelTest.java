// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import static io.gpustream.Support.assertNull;
import static io.gpustream.Support.assertStatus;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

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
    void aKernelFromAFile() {
        try (KernelModule module = KernelModule.load(HOST, Support.PARITY_LIBRARY)) {
            assertEquals(HOST, module.device());
            scale(module);
        }
    }

    @Test
    void aKernelFromMemory() throws IOException {
        try (KernelModule module = KernelModule.load(HOST, Files.readAllBytes(Support.PARITY_LIBRARY))) {
            scale(module);
        }
    }

    @Test
    void wrongModulesAndLaunchesAreRefused() {
        assertStatus(Status.INVALID_ARGUMENT, () -> KernelModule.load(HOST, Path.of("/nonexistent/kernels.so")));
        assertStatus(Status.INVALID_ARGUMENT, () -> KernelModule.load(HOST, new byte[] {1, 2, 3}));
        assertThrows(IllegalArgumentException.class, () -> KernelModule.load(HOST, new byte[0]));
        KernelModule module = KernelModule.load(HOST, Support.PARITY_LIBRARY);
        assertStatus(Status.INVALID_ARGUMENT, () -> module.kernel("no_such_kernel"));
        Kernel kernel = module.kernel("parity_scale");
        LaunchConfig config = LaunchConfig.of(1, 1);
        try (Stream stream = Stream.create(HOST);
                Stream elsewhere = Stream.create(Device.of(Backend.HOST, 1))) {
            assertThrows(IllegalArgumentException.class, () -> kernel.launch(config, stream, "text"));
            assertNull("arguments[1]", () -> kernel.launch(config, stream, 1, null));
            assertStatus(Status.DEVICE_MISMATCH, () -> kernel.launch(config, elsewhere, 1L, 1));
            module.close();
            module.close();
            assertThrows(IllegalStateException.class, () -> kernel.launch(config, stream, 1L, 1));
            assertThrows(IllegalStateException.class, () -> module.kernel("parity_scale"));
        }
        assertThrows(IllegalArgumentException.class, () -> LaunchConfig.of(0, 1));
        assertThrows(IllegalArgumentException.class, () -> new LaunchConfig(1, 1, 1, 1, 1, 1, -1));
        assertTrue(module.toString().contains("closed"));
    }
}
