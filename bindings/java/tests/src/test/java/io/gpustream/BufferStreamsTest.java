// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import static io.gpustream.Support.assertStatus;
import static org.junit.jupiter.api.Assertions.*;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;

/** The streams that use a buffer. */
class BufferStreamsTest {
    private static DeviceBuffer filled(Stream stream, long bytes, int value) {
        DeviceBuffer buffer = DeviceBuffer.allocate(bytes, stream);
        buffer.fill(value, stream);
        return buffer;
    }

    private static void assertBytes(int value, StreamBuffer buffer, Stream stream) {
        try (HostBuffer seen = HostBuffer.allocate(buffer.byteSize(), stream)) {
            buffer.copyTo(seen, stream);
            ByteBuffer bytes = seen.asByteBuffer();
            while (bytes.hasRemaining()) {
                assertEquals(value, bytes.get());
            }
        }
    }

    @Test
    void workGoesToTheCurrentStream() {
        try (Stream own = Stream.create(Device.of(1));
                Stream current = Stream.create(Device.of(1));
                Stream named = Stream.create(Device.of(1));
                Stream inner = Stream.create(Device.of(0));
                DeviceBuffer buffer = filled(own, 16, 1);
                DeviceBuffer other = filled(own, 16, 2);
                HostBuffer seen = HostBuffer.allocate(16, own)) {
            own.synchronize();
            buffer.fill(1, named);
            try (StreamScope outer = current.scope();
                    StreamScope scope = inner.scope(); // the device of the buffer says which stream is current
                    Support.Gate gate = new Support.Gate(current)) {
                buffer.slice(0, 8).fill(3);
                buffer.copyFrom(other);
                buffer.copyTo(seen);
                ByteBuffer direct = ByteBuffer.allocateDirect(16);
                direct.putLong(0, 0x0202020202020202L).putLong(8, 0x0202020202020202L); // a driver reads it at once
                buffer.copyTo(direct);
                buffer.copyFrom(direct);
                assertFalse(current.query());
                assertTrue(own.query());
                assertBytes(1, buffer, named); // nothing waits by itself
            }
            assertEquals(0x02020202, seen.asByteBuffer().getInt(4)); // waits for all streams that use it
            assertBytes(2, buffer, current);
        }
    }

    @Test
    void firstUseElsewhereWaitsForTheAllocation() {
        try (Stream own = Stream.create();
                Stream other = Stream.create();
                Stream third = Stream.create();
                Stream fourth = Stream.create();
                DeviceBuffer target = DeviceBuffer.allocate(16, third)) {
            DeviceBuffer buffer;
            try (Support.Gate gate = new Support.Gate(own)) {
                buffer = DeviceBuffer.allocate(16, own);
                buffer.fill(1, other);
                target.copyFrom(buffer, third);
                assertFalse(other.query());
                assertFalse(third.query());
            }
            other.synchronize();
            third.synchronize();
            try (Support.Gate gate = new Support.Gate(own)) {
                for (Stream stream : List.of(other, third, fourth)) {
                    buffer.fill(2, stream); // the allocation is known to be done
                    stream.synchronize();
                }
            }
            buffer.close();
        }
    }

    @Test
    void memoryIsFreedBehindAllThatUsedIt() {
        Device host = Device.of(Backend.HOST, 0);
        try (Stream own = Stream.create(host);
                Stream user = Stream.create(host);
                KernelModule module = KernelModule.load(host, Support.PARITY_LIBRARY);
                HostMemory seen = HostMemory.allocate(16)) {
            Kernel scale = module.kernel("parity_scale");
            List<BiConsumer<DeviceBuffer, Stream>> uses = List.of(
                    (buffer, stream) -> stream.copy(seen, buffer),
                    (buffer, stream) -> buffer.copyTo(seen, stream),
                    (buffer, stream) -> stream.copy(ByteBuffer.allocateDirect(16), buffer),
                    (buffer, stream) -> stream.copy(buffer, ByteBuffer.allocateDirect(16)),
                    (buffer, stream) -> stream.fill(buffer.slice(0, 8), 1),
                    (buffer, stream) -> scale.launch(LaunchConfig.of(1, 4), stream, buffer, 5));
            for (BiConsumer<DeviceBuffer, Stream> use : uses) {
                for (Stream stream : List.of(own, user)) {
                    DeviceBuffer buffer = DeviceBuffer.allocate(16, own);
                    long address = buffer.address();
                    try (Support.Gate gate = new Support.Gate(stream)) {
                        use.accept(buffer, stream);
                        buffer.close();
                        try (DeviceBuffer next = DeviceBuffer.allocate(16, own)) {
                            assertEquals(stream == own, next.address() == address, "is given out again at once");
                        }
                    }
                    stream.synchronize();
                }
            }
        }
    }

    /** A per-thread stream is another one on the thread that closes the buffer: the default stream stands for it. */
    @Test
    void perThreadStreamsUseBuffers() {
        try (Stream own = Stream.create();
                DeviceBuffer buffer = filled(own, 16, 7)) {
            for (int i = 0; i < 2; i++) {
                Support.onThread(() -> assertBytes(7, buffer, own));
                buffer.fill(7, Stream.perThread(own.device()));
            }
            assertEquals(List.of(Stream.defaultStream(own.device())), buffer.block().users());
        }
    }

    @Test
    void streamsThatAreDoneAreForgotten() {
        try (Stream recorded = Stream.create();
                DeviceBuffer buffer = DeviceBuffer.allocate(16, recorded)) {
            List<Stream> used = new ArrayList<>();
            buffer.recordStream(Stream.defaultStream());
            for (int i = 0; i < 3 * StreamBlock.MANY_USERS; i++) {
                Stream stream = Stream.create();
                buffer.fill(1, stream);
                stream.synchronize();
                used.add(stream);
            }
            List<Stream> users = buffer.block().users();
            assertTrue(users.size() <= StreamBlock.MANY_USERS + 1, users::toString);
            assertTrue(users.contains(Stream.defaultStream()), users::toString);
            used.forEach(Stream::close);
        }
    }

    @Test
    void theHostWaitsForAllStreamsThatUseABuffer() throws InterruptedException {
        try (Stream own = Stream.create();
                Stream user = Stream.create();
                HostBuffer buffer = HostBuffer.allocate(16, own)) {
            buffer.fill(1, user);
            Support.Gate gate = new Support.Gate(user);
            buffer.fill(2, user);
            Thread opener = new Thread(() -> {
                LockSupport.parkNanos(50_000_000);
                gate.open();
            });
            opener.start();
            assertEquals(0x02020202, buffer.asByteBuffer().getInt(12));
            opener.join();
        }
    }

    @Test
    void theHostWaitsForTheAllocationInACapture() {
        try (Stream own = Stream.create();
                Stream stream = Stream.create();
                Stream other = Stream.create();
                DeviceBuffer buffer = filled(own, 16, 1);
                DeviceBuffer fresh = DeviceBuffer.allocate(16, own)) {
            Capture capture = stream.capture(CaptureMode.RELAXED);
            buffer.fill(2, stream);
            try (Graph graph = capture.end();
                    GraphExec exec = graph.instantiate()) {
                assertBytes(1, buffer, own);
                exec.launch(stream);
                assertBytes(2, buffer, stream);
            }
            Capture hiding = own.capture(CaptureMode.RELAXED);
            assertStatus(Status.CAPTURING, () -> fresh.fill(1, other));
            Capture beside = stream.capture(CaptureMode.RELAXED);
            fresh.fill(1, stream);
            beside.end().close();
            fresh.recordStream(other);
            fresh.fill(1, other);
            hiding.end().close();
        }
        assertEquals("", FakeDriver.violations());
    }

    @Test
    void memoryOfNoBytesWorksEverywhere() {
        try (Stream stream = Stream.create();
                Stream other = Stream.create();
                HostMemory memory = HostMemory.allocate(0);
                DeviceMemory device = stream.allocate(0);
                DeviceBuffer buffer = DeviceBuffer.allocate(0, stream);
                HostBuffer host = HostBuffer.allocate(0, stream)) {
            Runnable work = () -> {
                buffer.fill(1);
                buffer.fill(1, other);
                buffer.copyFrom(host);
                buffer.slice(0, 0).copyTo(memory, stream);
                buffer.copyTo(ByteBuffer.allocateDirect(0));
                stream.copy(device, memory);
                stream.fill(device, 1);
            };
            Capture capture = stream.capture(CaptureMode.RELAXED);
            try (StreamScope scope = stream.scope()) {
                work.run();
            }
            capture.end().close();
            work.run();
            assertEquals(0, buffer.address());
            assertEquals(0, host.asByteBuffer().capacity());
            assertEquals(0, memory.asByteBuffer().capacity());
        }
    }

    @Test
    void aBufferOfJavaHasALimit() {
        long most = Integer.MAX_VALUE - 8L;
        try (HostMemory fits = HostMemory.allocate(most);
                HostMemory larger = HostMemory.allocate(most + 1)) {
            assertEquals(most, fits.asByteBuffer().capacity());
            assertThrows(UnsupportedOperationException.class, larger::asByteBuffer);
        }
    }
}
