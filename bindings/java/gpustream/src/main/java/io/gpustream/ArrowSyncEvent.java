// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import io.gpustream.internal.Native;
import io.gpustream.internal.Scratch;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Objects;
import java.util.Optional;

/**
 * What {@code ArrowDeviceArray.sync_event} of the Arrow C device interface points to: a {@code cudaEvent_t} in native memory.
 *
 * <pre>{@code
 * ArrowSyncEvent ready = ArrowSyncEvent.of(stream.recordEvent());  // after the work that fills the array
 * // array.sync_event = ready.address(); the array's release callback calls ready.close()
 *
 * ArrowSyncEvent.read(syncEvent, device).ifPresent(stream::waitEvent); // before work that reads the array
 * }</pre>
 *
 * <p>Any thread may call any method. None blocks.
 */
public final class ArrowSyncEvent implements AutoCloseable {
    private static final int WORD = 8; // of a 64-bit platform, the only kind that the library has

    private final Event event;
    private final ByteBuffer word = Scratch.direct(WORD);

    private ArrowSyncEvent(Event event, long nativeHandle) {
        this.event = event;
        word.putLong(0, nativeHandle);
    }

    /**
     * Exports an event. The caller's object stays open and its own.
     *
     * @param event recorded after the work that fills the array
     * @return the export, which keeps the event and the native memory until it is closed
     * @throws GpuStreamException NOT_RECORDED (there is no driver's event before the first record)
     */
    public static ArrowSyncEvent of(Event event) {
        Event kept = Objects.requireNonNull(event, "event").retain();
        try {
            long nativeHandle = kept.nativeHandle();
            if (nativeHandle == 0) {
                throw Failure.of(Status.NOT_RECORDED, "the event of an array was never recorded");
            }
            return new ArrowSyncEvent(kept, nativeHandle);
        } catch (RuntimeException failure) {
            kept.close();
            throw failure;
        }
    }

    /**
     * {@return the address for {@code sync_event}, valid until this object is closed or unreachable}
     *
     * @throws IllegalStateException if it is closed
     */
    public long address() {
        event.handle.use();
        return Native.BRIDGE.addressOf(word);
    }

    /** Releases event and memory. Later calls do nothing. For the array's release callback. */
    @Override
    public void close() {
        event.close();
    }

    /**
     * Imports the event of an array. The object can be closed once waits for it have been submitted.
     *
     * @param syncEvent {@code sync_event} of a live array; 0: the array needs no wait
     * @param device the array's device ({@code device_type}, {@code device_id})
     * @return the event; empty if there is none
     * @throws GpuStreamException INVALID_HANDLE (not an event), INVALID_DEVICE, DEVICE_MISMATCH
     */
    public static Optional<Event> read(long syncEvent, Device device) {
        Objects.requireNonNull(device, "device");
        if (syncEvent == 0) {
            return Optional.empty();
        }
        ByteBuffer theirs = Native.BRIDGE.bufferOf(syncEvent, WORD).order(ByteOrder.nativeOrder());
        return Optional.of(Event.fromNative(theirs.getLong(0), device));
    }
}
