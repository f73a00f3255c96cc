// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import static io.gpustream.Support.assertStatus;
import static org.junit.jupiter.api.Assertions.*;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Memory of devices and of the host, and buffers: memory that goes by a stream. */
class BufferTest {
    @Test
    void buffersAreOfTheCurrentStream() {
        try (Stream stream = Stream.create();
                StreamScope scope = stream.scope();
                DeviceBuffer device = DeviceBuffer.allocate(16);
                HostBuffer host = HostBuffer.allocate(16)) {
            assertEquals(stream, device.stream());
            assertEquals(stream, host.stream());
            assertTrue(device.toString().startsWith("DeviceBuffer[0x"), device::toString);
            assertTrue(host.slice(4, 8).toString().contains("8 bytes"));
            device.close();
            assertEquals("DeviceBuffer[16 bytes, closed]", device.toString());
            assertEquals(16, device.byteSize());
        }
    }

    /** What {@link StreamBuffer#recordStream} names is waited for before the memory is given out again. */
    @Test
    void recordedStreamsHoldTheMemory() {
        try (Stream stream = Stream.create();
                Stream user = Stream.create()) {
            HostMemory seen = HostMemory.allocate(16);
            DeviceBuffer buffer = DeviceBuffer.allocate(16, stream);
            buffer.fill(3, stream);
            user.waitStream(stream);
            try (Support.Gate gate = new Support.Gate(user)) {
                buffer.slice(0, 8).recordStream(user); // counts for the whole
                buffer.recordStream(user);
                buffer.recordStream(stream);
                user.copy(seen.address(), buffer.address(), 16);
                buffer.close();
                try (DeviceBuffer other = DeviceBuffer.allocate(16, stream)) {
                    other.fill(4, stream);
                    stream.synchronize();
                }
                gate.open();
                user.synchronize();
            }
            assertEquals(0x0303030303030303L, seen.asByteBuffer().getLong(8));
            seen.close();
        }
    }

    @Test
    void bufferOutlivesItsStreamObject() {
        Stream stream = Stream.create();
        try (DeviceBuffer buffer = DeviceBuffer.allocate(16, stream)) {
            stream.close();
            buffer.fill(0, buffer.stream());
            buffer.stream().synchronize();
        }
    }

    @Test
    void severalAreCopiedInOneCall() {
        try (Stream stream = Stream.create();
                Stream other = Stream.create();
                HostBuffer input = HostBuffer.allocate(16);
                DeviceBuffer device = DeviceBuffer.allocate(8, other);
                HostBuffer output = HostBuffer.allocate(16)) {
            for (int i = 0; i < 16; i++) {
                input.asByteBuffer().put(i, (byte) i);
            }
            for (AccessOrder order : AccessOrder.values()) {
                stream.copyBatch(
                        List.of(device, output.slice(8, 8)), List.of(input.slice(0, 8), input.slice(8, 8)), order);
                stream.synchronize();
                stream.copyBatch(List.of(output.slice(0, 8)), List.of(device), order);
                stream.synchronize();
                assertEquals(input.asByteBuffer(), output.asByteBuffer());
                stream.copyBatch(List.of(), List.of(), order);
            }
            assertThrows(
                    IllegalArgumentException.class,
                    () -> stream.copyBatch(List.of(device), List.of(), AccessOrder.ANY));
            assertThrows(
                    IllegalArgumentException.class,
                    () -> stream.copyBatch(List.of(device), List.of(output), AccessOrder.ANY));
        }
    }

    @Test
    void wrongArgumentsAreRefused() {
        try (Stream stream = Stream.create();
                DeviceBuffer device = DeviceBuffer.allocate(16, stream);
                HostMemory memory = HostMemory.allocate(8)) {
            assertThrows(IllegalArgumentException.class, () -> DeviceBuffer.allocate(-1, stream));
            assertThrows(IllegalArgumentException.class, () -> HostBuffer.allocate(-1, stream));
            Stream perThread = Stream.perThread(Device.current());
            assertThrows(IllegalArgumentException.class, () -> DeviceBuffer.allocate(1, perThread));
            assertThrows(IllegalArgumentException.class, () -> device.recordStream(perThread));
            assertThrows(IllegalArgumentException.class, () -> device.copyFrom(memory));
            assertThrows(IllegalArgumentException.class, () -> device.copyFrom(device));
            assertThrows(
                    IllegalArgumentException.class, () -> device.slice(0, 8).copyFrom(device.slice(7, 8)));
            device.slice(0, 8).copyFrom(device.slice(8, 8));
            ByteBuffer readOnly = ByteBuffer.allocateDirect(16).asReadOnlyBuffer();
            assertThrows(IllegalArgumentException.class, () -> device.copyTo(readOnly));
            assertThrows(IllegalArgumentException.class, () -> device.copyFrom(ByteBuffer.allocate(16)));
            assertThrows(IndexOutOfBoundsException.class, () -> device.slice(9, 8));
            assertStatus(Status.INVALID_ARGUMENT, () -> device.fill(256));
            assertStatus(Status.OUT_OF_MEMORY, () -> DeviceBuffer.allocate(Long.MAX_VALUE / 2, stream));
        }
    }

    /** In a capture copies become nodes; memory is not allocated there, and that of a closed buffer is left to the graph. */
    @Test
    void capturesTakeCopiesOnly() {
        try (Stream stream = Stream.create();
                HostBuffer host = HostBuffer.allocate(16, stream)) {
            DeviceBuffer device = DeviceBuffer.allocate(16, stream);
            Capture capture = stream.capture(CaptureMode.RELAXED);
            try (StreamScope scope = stream.scope()) {
                device.fill(7);
                device.copyTo(host);
            }
            assertStatus(Status.CAPTURING, () -> DeviceBuffer.allocate(16, stream));
            assertStatus(Status.CAPTURING, () -> HostBuffer.allocate(16, stream));
            assertStatus(Status.CAPTURING, host::asByteBuffer);
            device.close();
            try (Graph graph = capture.end();
                    GraphExec exec = graph.instantiate()) {
                exec.launch(stream);
                assertEquals(0x07070707, host.asByteBuffer().getInt(12));
            }
        }
        assertEquals("", FakeDriver.violations());
    }

    /** A thread that uses a buffer while another one closes it gets an exception; no work follows the free. */
    @Test
    void closingIsSafeBesideUse() throws InterruptedException {
        try (Stream stream = Stream.create()) {
            for (int round = 0; round < 50; round++) {
                DeviceBuffer buffer = DeviceBuffer.allocate(4096, stream);
                CountDownLatch used = new CountDownLatch(1);
                AtomicReference<Throwable> ended = new AtomicReference<>();
                Thread user = new Thread(() -> {
                    try {
                        while (true) {
                            buffer.fill(1);
                            used.countDown();
                        }
                    } catch (Throwable thrown) {
                        ended.set(thrown);
                        used.countDown();
                    }
                });
                user.start();
                used.await();
                buffer.close();
                user.join();
                assertEquals(IllegalStateException.class, ended.get().getClass());
            }
        }
    }

    /** Two threads that copy between the same two buffers do not lock each other out. */
    @Test
    void crossedCopiesDoNotDeadlock() {
        try (Stream first = Stream.create();
                Stream second = Stream.create();
                DeviceBuffer one = DeviceBuffer.allocate(64, first);
                DeviceBuffer other = DeviceBuffer.allocate(64, second)) {
            Thread thread = new Thread(() -> {
                for (int i = 0; i < 500; i++) {
                    one.copyFrom(other);
                }
            });
            thread.start();
            Support.onThread(() -> {
                for (int i = 0; i < 500; i++) {
                    other.copyFrom(one);
                }
            });
            Support.eventually(() -> !thread.isAlive());
        }
    }

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
