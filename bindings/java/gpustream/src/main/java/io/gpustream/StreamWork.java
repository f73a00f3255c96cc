// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import io.gpustream.internal.Native;
import io.gpustream.internal.lifetime.Handle;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;

/** Work of a {@link Stream}: waits for events and streams, records, copies, fills. Only streams are one. */
public sealed interface StreamWork permits Stream {
    private Handle held() {
        return ((StreamNatives) this).handle;
    }

    /**
     * Makes work submitted to this stream from now on wait for what the event's present record covers. An event before its
     * first record has no effect. Allocates nothing. The event may be closed right after.
     *
     * @param event of any device of the same backend
     * @throws GpuStreamException NOT_SUPPORTED (different backends), PEER_LOST (its other process is gone)
     */
    default void waitEvent(Event event) {
        Failure.check(Native.CALLS.streamWaitEvent(held().use(), HandleOwner.numberOf(event, "event")), this, event);
    }

    /**
     * Makes work submitted to this stream from now on wait for all work submitted to the other one so far.
     *
     * @param other of any device of the same backend
     * @throws GpuStreamException NOT_SUPPORTED (different backends)
     */
    default void waitStream(Stream other) {
        Failure.check(Native.CALLS.streamWaitStream(held().use(), HandleOwner.numberOf(other, "other")), this, other);
    }

    /**
     * Records an event in this stream: {@link Event#record(Stream)} with the roles exchanged.
     *
     * @param event the event
     * @throws GpuStreamException as there
     */
    default void recordEvent(Event event) {
        Failure.check(Native.CALLS.streamRecordEvent(held().use(), HandleOwner.numberOf(event, "event")), this, event);
    }

    /** {@return a new event without timing, recorded in this stream} */
    default Event recordEvent() {
        Event event = Event.create();
        try {
            recordEvent(event);
        } catch (RuntimeException failed) {
            event.close();
            throw failed;
        }
        return event;
    }

    /**
     * Occupies the stream. For tests and demonstrations of overlap.
     *
     * @param cycles duration: clock cycles of the device, nanoseconds on the host backend; not negative
     * @throws GpuStreamException NOT_SUPPORTED (the device cannot load the kernel)
     */
    default void sleep(long cycles) {
        if (cycles < 0) {
            throw new IllegalArgumentException("cycles is " + cycles);
        }
        Failure.check(Native.CALLS.streamSleep(held().use(), cycles), this);
    }

    /**
     * Allocates device memory in stream order: usable by work submitted to this stream from now on. Other streams wait
     * for an event recorded after this call first.
     *
     * @param bytes size; of 0 bytes nothing is allocated, and the address is 0
     * @return the memory: uninitialised, aligned to at least 256 bytes
     * @throws GpuStreamException OUT_OF_MEMORY, NOT_SUPPORTED (the device has no stream-ordered memory)
     */
    default DeviceMemory allocate(long bytes) {
        DeviceMemory memory = DeviceMemory.allocate(held(), bytes);
        Reference.reachabilityFence(this);
        return memory;
    }

    /**
     * Frees device memory in the order of this stream: after the work submitted so far. Closes the object.
     *
     * @param memory open memory of the same device
     * @throws GpuStreamException if the driver refuses; the memory is still open then
     * @throws IllegalStateException if the memory or the stream is closed
     */
    default void free(DeviceMemory memory) {
        Objects.requireNonNull(memory, "memory").free(held());
        Reference.reachabilityFence(this);
    }

    /**
     * Copies memory in stream order, in any direction. Both must stay open until the copy is done. Does not block
     * between a device and {@link HostMemory}.
     *
     * @param target where to
     * @param source where from; of the same size, not overlapping
     * @throws IllegalArgumentException if the sizes differ
     * @throws IllegalStateException if the memory or the stream is closed
     */
    default void copy(Memory target, Memory source) {
        ((StreamNatives) this).copy(Side.of(target, "target"), Side.of(source, "source"));
    }

    /**
     * Copies the buffer's remaining bytes into memory in stream order. The buffer's position stays. The buffer is kept
     * reachable until the copy is done, and its content must not change until then. While the stream is captured, the
     * program keeps the buffer for as long as the graph may run. May block while the driver stages pageable memory.
     *
     * @param target where to
     * @param source where from; direct, with as many bytes remaining as the target has
     * @throws IllegalArgumentException if the buffer is not direct, or the sizes differ
     * @throws IllegalStateException if the memory, the stream or, from Java 22 on, the buffer's arena is closed
     */
    default void copy(Memory target, ByteBuffer source) {
        ((StreamNatives) this).copy(Side.of(target, "target"), Side.of(source, "source"));
    }

    /**
     * Copies memory over the buffer's remaining bytes in stream order; otherwise as {@link Stream#copy(Memory,
     * ByteBuffer)}.
     *
     * @param target where to; direct, not read-only, with as many bytes remaining as the source has
     * @param source where from
     */
    default void copy(ByteBuffer target, Memory source) {
        ((StreamNatives) this).copy(Side.toWrite(target, "target"), Side.of(source, "source"));
    }

    /**
     * Copies between raw addresses in stream order, in any direction. The caller guarantees that both ranges are valid
     * until the copy is done and do not overlap. On CUDA a copy from host memory to host memory, and the staging of
     * pageable host memory, may block.
     *
     * @param target address of the first byte to write
     * @param source address of the first byte to read
     * @param bytes size; 0 does nothing
     * @throws GpuStreamException INVALID_ARGUMENT (an address is 0 while bytes is not, bytes is negative)
     */
    default void copy(long target, long source, long bytes) {
        Failure.check(Native.CALLS.memcpyAsync(target, source, bytes, held().use()), this);
    }

    /**
     * Copies memory in several pieces, in one call of the driver where it has one. They may run in any order and at the same
     * time. All must stay open until the copies are done. Does not block between a device and {@link HostMemory}.
     *
     * @param targets where to
     * @param sources where from, one for each target; of its size, not overlapping with any target
     * @param order when the sources are read; only {@link AccessOrder#STREAM} waits for the stream's earlier work
     * @throws IllegalArgumentException if the numbers or sizes differ
     * @throws IllegalStateException if memory or the stream is closed
     * @throws GpuStreamException CAPTURING ({@link AccessOrder#DURING_CALL} while the stream is captured)
     */
    default void copyBatch(List<? extends Memory> targets, List<? extends Memory> sources, AccessOrder order) {
        Objects.requireNonNull(order, "order");
        CopyList copies = new CopyList(targets, sources);
        Memory.use(held().use(), () -> Failure.check(copies.submit(order.code, held().use())), copies.memory());
        Reference.reachabilityFence(this);
    }

    /**
     * Fills memory with a byte in stream order. The memory must stay open until that is done.
     *
     * @param target device memory or {@link HostMemory}
     * @param value the byte, 0 to 255
     * @throws GpuStreamException INVALID_ARGUMENT (value out of range)
     * @throws IllegalStateException if the memory or the stream is closed
     */
    default void fill(Memory target, int value) {
        Objects.requireNonNull(target, "target");
        Runnable submit = () -> Failure.check(
                Native.CALLS.memsetAsync(target.address(), value, target.byteSize(), held().use()));
        Memory.use(held().use(), submit, target);
        Reference.reachabilityFence(this);
    }
}
