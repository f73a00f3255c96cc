// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import static io.gpustream.Support.assertStatus;
import static org.junit.jupiter.api.Assertions.*;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.junit.jupiter.api.Test;

class MemoryTest {
    private static ByteBuffer numbers(int count) {
        ByteBuffer buffer = ByteBuffer.allocateDirect(4 * count).order(ByteOrder.nativeOrder());
        for (int i = 0; i < count; i++) {
            buffer.putInt(4 * i, i * i);
        }
        return buffer;
    }

    @Test
    void positionsAndSlicesCount() {
        ByteBuffer source = numbers(8).position(8).limit(16);
        try (Stream stream = Stream.create();
                HostMemory host = HostMemory.allocate(32);
                DeviceMemory device = stream.allocate(32)) {
            stream.fill(device, 0);
            stream.copy(device.slice(16, 8), source);
            stream.copy(host, device);
            stream.synchronize();
            ByteBuffer result = host.asByteBuffer();
            assertEquals(0, result.getInt(0));
            assertEquals(4, result.getInt(16));
            assertEquals(9, result.getInt(20));
            assertEquals(8, source.position());
            assertThrows(IndexOutOfBoundsException.class, () -> device.slice(30, 3));
            assertThrows(IndexOutOfBoundsException.class, () -> device.slice(-1, 3));
        }
    }

    @Test
    void wrongBuffersAreRefused() {
        try (Stream stream = Stream.create();
                DeviceMemory device = stream.allocate(16);
                HostMemory host = HostMemory.allocate(8)) {
            assertThrows(IllegalArgumentException.class, () -> stream.copy(device, ByteBuffer.allocate(16)));
            assertThrows(IllegalArgumentException.class, () -> stream.copy(ByteBuffer.allocate(16), device));
            assertThrows(IllegalArgumentException.class, () -> stream.copy(device, ByteBuffer.allocateDirect(15)));
            assertThrows(IllegalArgumentException.class, () -> stream.copy(device, host));
            ByteBuffer readOnly = ByteBuffer.allocateDirect(16).asReadOnlyBuffer();
            assertThrows(IllegalArgumentException.class, () -> stream.copy(readOnly, device));
            assertThrows(IllegalArgumentException.class, () -> stream.allocate(-1));
            assertThrows(IllegalArgumentException.class, () -> HostMemory.allocate(-1));
            assertStatus(Status.INVALID_ARGUMENT, () -> stream.copy(0, 0, 1));
            assertStatus(Status.INVALID_ARGUMENT, () -> stream.copy(host.address(), host.address(), -1));
            stream.copy(0, 0, 0);
        }
    }

    @Test
    void memoryIsFreedInTheOrderOfAStream() {
        try (Stream first = Stream.create();
                Stream second = Stream.create()) {
            DeviceMemory memory = first.allocate(16);
            second.waitStream(first);
            second.fill(memory, 1);
            second.free(memory);
            assertThrows(IllegalStateException.class, memory::address);
            DeviceMemory other = first.allocate(16);
            first.close();
            other.close(); // in the order of a stream that its owner has closed
        }
    }

    @Test
    void refusedFreeingLeavesTheMemoryOpen() {
        try (Stream stream = Stream.create();
                DeviceMemory memory = stream.allocate(16)) {
            Stream closed = Stream.create();
            closed.close();
            assertThrows(IllegalStateException.class, () -> closed.free(memory));
            assertNotEquals(0, memory.address());
        }
    }
}
