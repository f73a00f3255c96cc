// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import static io.gpustream.Support.assertStatus;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gpustream.internal.Callbacks;
import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

/** A stream that another library captures into a graph: refused calls leave the capture intact. */
class CaptureTest {
    private static final Device CUDA = Device.of(Backend.CUDA, 0);

    @Test
    void whatCannotBeCapturedIsRefused() {
        try (Stream stream = Stream.create(CUDA);
                Event event = Event.create()) {
            long handle = stream.nativeHandle();
            event.record(stream);
            event.synchronize();
            FakeDriver.beginCapture(handle);
            assertTrue(stream.isCapturing());
            Support.eventually(() -> Callbacks.waiting() == 0); // releases of earlier tests are on their way
            assertStatus(Status.CAPTURING, stream::query);
            assertStatus(Status.CAPTURING, stream::synchronize);
            assertStatus(Status.CAPTURING, stream::completion);
            assertStatus(Status.CAPTURING, () -> stream.addDoneCallback(() -> {
                throw new AssertionError("run though it was refused");
            }));
            assertEquals(0, Callbacks.waiting());
            event.record(stream);
            stream.waitEvent(event);
            FakeDriver.endCapture(handle);
            assertFalse(stream.isCapturing());
            assertTrue(stream.query());
        }
        assertEquals(0, FakeDriver.violations());
    }

    /** A graph may run at any time, so the buffer stays at least as long as the stream's object. */
    @Test
    void aCapturedCopyKeepsItsBufferWithTheStream() {
        try (Stream stream = Stream.create(CUDA);
                DeviceMemory memory = stream.allocate(16)) {
            long handle = stream.nativeHandle();
            stream.synchronize();
            Support.eventually(() -> Callbacks.waiting() == 0);
            FakeDriver.beginCapture(handle);
            WeakReference<ByteBuffer> buffer = copy(stream, memory);
            FakeDriver.endCapture(handle);
            assertEquals(0, Callbacks.waiting());
            for (int i = 0; i < 3; i++) {
                System.gc();
            }
            assertFalse(buffer.refersTo(null));
            WeakReference<ByteBuffer> plain = copy(stream, memory);
            stream.synchronize();
            Support.eventually(() -> {
                System.gc();
                return plain.refersTo(null);
            });
            assertFalse(buffer.refersTo(null));
        }
    }

    private static WeakReference<ByteBuffer> copy(Stream stream, DeviceMemory memory) {
        ByteBuffer buffer = ByteBuffer.allocateDirect(16);
        stream.copy(memory, buffer);
        return new WeakReference<>(buffer);
    }
}
