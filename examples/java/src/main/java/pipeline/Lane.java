// SPDX-License-Identifier: Apache-2.0
package pipeline;

import io.gpustream.Device;
import io.gpustream.DeviceMemory;
import io.gpustream.Event;
import io.gpustream.HostMemory;
import io.gpustream.Kernel;
import io.gpustream.LaunchConfig;
import io.gpustream.Memory;
import io.gpustream.Stream;
import io.gpustream.StreamScope;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/**
 * A worker's share of the device: a stream for each stage, two chunks in flight. Order between the streams is kept by
 * events alone. Created, used and closed on one thread, whose current stream is the kernel stream until then.
 */
final class Lane implements AutoCloseable {
    private static final int THREADS_PER_BLOCK = 128;

    private final Kernel kernel;
    private final FileChannel file;
    private final Digest digest;
    private final Stream copyIn;
    private final Stream compute;
    private final Stream copyOut;
    private final StreamScope scope;
    private final Slot[] slots;
    private int next;

    /** Buffers and events of a chunk in flight. */
    private static final class Slot implements AutoCloseable {
        final HostMemory input;
        final DeviceMemory deviceInput;
        final DeviceMemory deviceResult;
        final HostMemory result;
        final ByteBuffer inputBytes;
        final Event copiedIn = Event.create();
        final Event computed = Event.create();
        final Event copiedOut = Event.builder().blocking().build();
        long offset;
        int bytes;

        Slot(Stream owner, int chunkBytes) {
            input = HostMemory.allocate(chunkBytes);
            result = HostMemory.allocate(4L * Digest.resultInts(chunkBytes));
            deviceInput = owner.allocate(chunkBytes);
            deviceResult = owner.allocate(4L * Digest.resultInts(chunkBytes));
            inputBytes = input.asByteBuffer();
        }

        @Override
        public void close() {
            deviceInput.close();
            deviceResult.close();
            input.close();
            result.close();
            copiedIn.close();
            computed.close();
            copiedOut.close();
        }
    }

    Lane(Device device, Kernel kernel, FileChannel file, Digest digest, int chunkBytes) {
        this.kernel = kernel;
        this.file = file;
        this.digest = digest;
        copyIn = Stream.create(device);
        compute = Stream.create(device);
        copyOut = Stream.create(device);
        scope = compute.scope();
        slots = new Slot[] {new Slot(compute, chunkBytes), new Slot(compute, chunkBytes)};
        // Memory is allocated in the order of its stream; the other streams may use it from here on.
        copyIn.waitStream(compute);
        copyOut.waitStream(compute);
    }

    /** Reads a chunk and submits its three stages. Waits only for the buffers of two chunks before. */
    void process(long offset, int bytes) throws IOException {
        Slot slot = slots[next];
        next = (next + 1) % slots.length;
        deliver(slot);
        read(slot.inputBytes.clear().limit(bytes), offset);
        slot.offset = offset;
        slot.bytes = bytes;

        Memory input = slot.deviceInput.slice(0, bytes);
        copyIn.copy(input, slot.input.slice(0, bytes));
        slot.copiedIn.record(copyIn);

        Memory result = slot.deviceResult.slice(0, 4L * Digest.resultInts(bytes));
        compute.waitEvent(slot.copiedIn);
        compute.fill(result.slice(0, 4L * Digest.BINS), 0);
        kernel.launch(LaunchConfig.of(Digest.slices(bytes), THREADS_PER_BLOCK), compute, input, bytes, result);
        slot.computed.record(); // in the current stream, which is the kernel's

        copyOut.waitEvent(slot.computed);
        copyOut.copy(slot.result.slice(0, result.byteSize()), result);
        slot.copiedOut.record(copyOut);
    }

    /** Waits for the chunks still in flight. */
    void finish() {
        for (int i = 0; i < slots.length; i++) {
            deliver(slots[(next + i) % slots.length]);
        }
    }

    private void deliver(Slot slot) {
        if (slot.bytes > 0) {
            slot.copiedOut.synchronize();
            digest.place(slot.offset, slot.bytes, slot.result.asByteBuffer().asIntBuffer());
            slot.bytes = 0;
        }
    }

    private void read(ByteBuffer buffer, long offset) throws IOException {
        while (buffer.hasRemaining()) {
            int got = file.read(buffer, offset + buffer.position());
            if (got < 0) {
                throw new EOFException("the file has shrunk while it was processed");
            }
        }
    }

    /** Waits for the work that uses the buffers, also after a failure, then releases everything. */
    @Override
    public void close() {
        copyIn.synchronize();
        compute.synchronize();
        copyOut.synchronize();
        for (Slot slot : slots) {
            slot.close();
        }
        scope.close();
        copyIn.close();
        compute.close();
        copyOut.close();
    }
}
