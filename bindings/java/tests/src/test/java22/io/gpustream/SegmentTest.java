// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import static org.junit.jupiter.api.Assertions.*;

import java.lang.foreign.*;
import java.lang.invoke.*;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class SegmentTest {
    @Test
    void segmentsGoToTheDeviceAndBack() {
        try (Arena arena = Arena.ofShared();
                Stream stream = Stream.create();
                DeviceMemory device = stream.allocate(400)) {
            MemorySegment source = arena.allocate(ValueLayout.JAVA_INT, 100);
            MemorySegment target = Arena.ofAuto().allocate(400);
            for (int i = 0; i < 100; i++) {
                source.setAtIndex(ValueLayout.JAVA_INT, i, 3 * i);
            }
            stream.copy(device, source);
            stream.copy(target, device);
            stream.synchronize();
            assertEquals(-1, source.mismatch(target));
            MemorySegment again = arena.allocate(400);
            stream.copy(again, target);
            stream.synchronize();
            assertEquals(-1, source.mismatch(again));
        }
    }

    @Test
    void wrongSegmentsAreRefused() {
        Arena closed = Arena.ofShared();
        MemorySegment gone = closed.allocate(16);
        closed.close();
        try (Arena arena = Arena.ofConfined();
                Stream stream = Stream.create();
                DeviceMemory device = stream.allocate(16)) {
            MemorySegment heap = MemorySegment.ofArray(new byte[16]);
            MemorySegment small = arena.allocate(8);
            MemorySegment right = arena.allocate(16);
            assertThrows(IllegalArgumentException.class, () -> stream.copy(device, heap));
            assertThrows(IllegalArgumentException.class, () -> stream.copy(heap, device));
            assertThrows(IllegalArgumentException.class, () -> stream.copy(device, small));
            assertThrows(IllegalArgumentException.class, () -> stream.copy(right, small));
            assertThrows(IllegalArgumentException.class, () -> stream.copy(right.asReadOnly(), device));
            assertThrows(IllegalArgumentException.class, () -> stream.copy(right.asReadOnly(), right));
            assertThrows(IllegalStateException.class, () -> stream.copy(device, gone));
            Support.assertNull("source", () -> stream.copy(device, (MemorySegment) null));
            assertThrows(UnsupportedOperationException.class, device::asSegment);
        }
    }

    /** Java does not check raw addresses, so a copy has to check the arena of the buffer. */
    @Test
    void buffersOfAClosedArenaAreRefused() {
        ByteBuffer gone;
        try (Arena arena = Arena.ofShared()) {
            gone = arena.allocate(64).asByteBuffer();
        }
        try (Stream stream = Stream.create();
                Arena arena = Arena.ofConfined();
                DeviceMemory device = stream.allocate(32)) {
            ByteBuffer part = gone.slice(16, 32);
            assertEquals(
                    "source is closed",
                    assertThrows(IllegalStateException.class, () -> stream.copy(device, part)).getMessage());
            assertEquals(
                    "target is closed",
                    assertThrows(IllegalStateException.class, () -> stream.copy(part, device)).getMessage());
            ByteBuffer right = arena.allocate(32).asByteBuffer();
            stream.copy(device, right.put(5, (byte) 7));
            ByteBuffer target = arena.allocate(40).asByteBuffer().position(8);
            stream.copy(target, device);
            stream.synchronize();
            assertEquals(7, target.get(13));
        }
    }

    @Test
    void hostMemoryIsASegment() {
        try (HostMemory memory = HostMemory.allocate(64)) {
            MemorySegment segment = memory.asSegment();
            segment.set(ValueLayout.JAVA_LONG, 8, 77);
            assertEquals(77, memory.asByteBuffer().getLong(8));
            assertEquals(77, memory.slice(8, 8).asSegment().get(ValueLayout.JAVA_LONG, 0));
            assertEquals(64, segment.byteSize());
            assertThrows(IndexOutOfBoundsException.class, () -> segment.get(ValueLayout.JAVA_BYTE, 64));
            assertEquals(memory.address(), memory.asParameter().address());
        }
    }

    @Test
    void segmentsEndWithTheirMemory() {
        try (Stream stream = Stream.create();
                DeviceMemory device = stream.allocate(64)) {
            HostMemory memory = HostMemory.allocate(64);
            Memory slice = memory.slice(8, 8);
            MemorySegment whole = memory.asSegment();
            MemorySegment part = slice.asSegment();
            ByteBuffer buffer = whole.asByteBuffer();
            stream.copy(device, whole.fill((byte) 3));
            stream.synchronize();
            memory.close();
            memory.close();
            assertThrows(IllegalStateException.class, () -> whole.get(ValueLayout.JAVA_BYTE, 0));
            assertThrows(IllegalStateException.class, () -> part.set(ValueLayout.JAVA_BYTE, 0, (byte) 1));
            assertThrows(IllegalStateException.class, () -> buffer.get(0));
            assertThrows(IllegalStateException.class, () -> stream.copy(device, whole));
            assertThrows(IllegalStateException.class, () -> stream.copy(buffer, device));
            assertThrows(IllegalStateException.class, memory::asSegment);
            assertThrows(IllegalStateException.class, slice::asSegment);
        }
    }

    /** A buffer's segment is given out when the stream's work is done, and ends when the buffer is closed. */
    @Test
    void hostBufferIsASegment() {
        try (Stream stream = Stream.create();
                Arena arena = Arena.ofConfined();
                DeviceBuffer device = DeviceBuffer.allocate(16, stream)) {
            HostBuffer host = HostBuffer.allocate(16, stream);
            MemorySegment source = arena.allocate(ValueLayout.JAVA_LONG, 2);
            source.setAtIndex(ValueLayout.JAVA_LONG, 1, 12);
            device.copyFrom(source, stream);
            host.copyFrom(device, stream);
            MemorySegment segment = host.asSegment();
            assertEquals(12, segment.getAtIndex(ValueLayout.JAVA_LONG, 1));
            assertEquals(12, host.slice(8, 8).asSegment().get(ValueLayout.JAVA_LONG, 0));
            MemorySegment target = arena.allocate(16);
            host.copyTo(target, stream);
            stream.synchronize();
            assertEquals(-1, source.mismatch(target));
            ByteBuffer buffer = segment.asByteBuffer();
            host.close();
            assertThrows(IllegalStateException.class, () -> segment.get(ValueLayout.JAVA_BYTE, 0));
            assertThrows(IllegalStateException.class, () -> buffer.get(0));
            assertThrows(IllegalStateException.class, host::asSegment);
            assertThrows(IllegalStateException.class, () -> host.copyTo(target));
            assertThrows(IllegalArgumentException.class, () -> device.copyFrom(MemorySegment.ofArray(new byte[16])));
            assertThrows(IllegalArgumentException.class, () -> device.copyTo(target.asReadOnly()));
            assertThrows(IllegalArgumentException.class, () -> device.copyTo(arena.allocate(8)));
            assertThrows(UnsupportedOperationException.class, device::asSegment);
        }
    }

    /** A thread that reads while another one closes gets an exception; closing succeeds. */
    @Test
    void closingDisturbsReadersOnly() {
        for (int round = 0; round < 50; round++) {
            HostMemory memory = HostMemory.allocate(1 << 16);
            MemorySegment segment = memory.asSegment();
            CountDownLatch reading = new CountDownLatch(1);
            Thread closer = new Thread(() -> {
                Support.await(reading);
                memory.close();
            });
            closer.start();
            assertThrows(IllegalStateException.class, () -> {
                boolean closing;
                do { // once more after the closing thread has ended, in whichever way
                    closing = closer.isAlive();
                    segment.fill((byte) 1);
                    reading.countDown();
                } while (closing);
            });
            Thread.interrupted(); // the virtual machine may interrupt the reading thread to stop it
            assertDoesNotThrow(() -> closer.join());
            assertThrows(IllegalStateException.class, memory::address);
        }
    }

    /** A native function cannot be stopped, so the memory must stay until it has returned. */
    @Test
    void memoryLentToNativeCodeStaysOpen() throws Throwable {
        Linker linker = Linker.nativeLinker();
        MethodHandle sort = linker.downcallHandle(
                linker.defaultLookup().find("qsort").orElseThrow(),
                FunctionDescriptor.ofVoid(
                        ValueLayout.ADDRESS, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, ValueLayout.ADDRESS));
        HostMemory memory = HostMemory.allocate(8);
        List<RuntimeException> thrown = new ArrayList<>();
        MethodHandle compare = MethodHandles.insertArguments(
                MethodHandles.lookup()
                        .findStatic(
                                SegmentTest.class,
                                "closeAndCompare",
                                MethodType.methodType(
                                        int.class,
                                        HostMemory.class,
                                        List.class,
                                        MemorySegment.class,
                                        MemorySegment.class)),
                0,
                memory,
                thrown);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment function = linker.upcallStub(
                    compare,
                    FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.ADDRESS),
                    arena);
            sort.invokeExact(memory.asSegment(), 2L, 4L, function);
        }
        assertEquals(1, thrown.size());
        assertInstanceOf(IllegalStateException.class, thrown.get(0));
        assertEquals(
                "a native function is using a segment of the host memory",
                thrown.get(0).getMessage());
        memory.asSegment().set(ValueLayout.JAVA_BYTE, 0, (byte) 1);
        memory.close();
        assertThrows(IllegalStateException.class, memory::address);
    }

    // Called by qsort: an exception would end the virtual machine.
    private static int closeAndCompare(
            HostMemory memory, List<RuntimeException> thrown, MemorySegment left, MemorySegment right) {
        try {
            memory.close();
        } catch (RuntimeException refused) {
            thrown.add(refused);
        }
        return 0;
    }

    /** A foreign function of another library gets the handle: one of the (fake) driver. */
    @Test
    void handlesArePassedToForeignFunctions() throws Throwable {
        Linker linker = Linker.nativeLinker();
        SymbolLookup driver = SymbolLookup.libraryLookup(Path.of(System.getenv("GPUSTREAM_LIBCUDA")), Arena.global());
        MethodHandle query = linker.downcallHandle(
                driver.find("cuStreamQuery").orElseThrow(),
                FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS));
        MethodHandle record = linker.downcallHandle(
                driver.find("cuEventRecord").orElseThrow(),
                FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.ADDRESS));
        try (Stream stream = Stream.create(Device.of(Backend.CUDA, 0));
                Event event = stream.recordEvent()) {
            assertEquals(stream.nativeHandle(), stream.asParameter().address());
            assertEquals(0, (int) query.invokeExact(stream.asParameter()));
            assertEquals(0, (int) record.invokeExact(event.asParameter(), stream.asParameter()));
            event.synchronize();
        }
        assertEquals(MemorySegment.NULL, Stream.defaultStream().asParameter());
    }

    @Test
    void graphsCopySegments() {
        Arena arena = Arena.ofConfined();
        try (HostMemory memory = HostMemory.allocate(16);
                Graph graph = Graph.create();
                Stream stream = Stream.create()) {
            MemorySegment target = arena.allocate(16);
            GraphNode first = graph.addCopy(memory, Arena.ofAuto().allocate(16).fill((byte) 5));
            graph.addCopy(target, memory, first);
            System.gc(); // the graph keeps the segment that nothing else refers to
            try (GraphExec exec = graph.instantiate()) {
                exec.launch(stream);
                stream.synchronize();
                assertEquals(5, target.get(ValueLayout.JAVA_BYTE, 15));
                assertNotEquals(0, graph.asParameter().address());
                assertEquals(exec.nativeHandle(), exec.asParameter().address());
            }
            MemorySegment heap = MemorySegment.ofArray(new byte[16]);
            assertThrows(IllegalArgumentException.class, () -> graph.addCopy(memory, heap));
            assertThrows(IllegalArgumentException.class, () -> graph.addCopy(target.asReadOnly(), memory));
            assertThrows(IllegalArgumentException.class, () -> graph.addCopy(memory, target.asSlice(0, 8)));
            arena.close();
            assertThrows(IllegalStateException.class, () -> graph.addCopy(memory, target));
            assertEquals(2, graph.nodes().size());
        }
    }
}
