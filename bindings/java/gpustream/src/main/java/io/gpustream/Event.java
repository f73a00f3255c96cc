// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import io.gpustream.internal.Callbacks;
import io.gpustream.internal.Constants;
import io.gpustream.internal.Native;
import io.gpustream.internal.Scratch;
import java.lang.ref.Reference;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * An event: a marker in a stream that others can wait for. Until it is recorded, queries return true and waits do
 * nothing.
 *
 * <p>Ownership, threads, blocking and errors are as for {@link Stream}; every object is owned. Closing it leaves
 * records and waits in force.
 */
public final class Event extends EventNatives
        implements NativeParameter, EventCompletions {
    /** Owns a number that the library has just written to the thread's scratch memory. */
    Event(long number, Scratch scratch) {
        super(number, scratch);
    }

    static Event create(int flags) {
        Scratch scratch = Scratch.get();
        Failure.check(Native.CALLS.eventCreate(flags, scratch.address));
        return new Event(scratch.getLong(), scratch);
    }

    /**
     * Returns an object for an event of the library that C or another language has made, with a reference of its own:
     * the owner's reference stays the owner's.
     *
     * @param number a {@code gs_event_t}, as a number
     * @return the event
     * @throws GpuStreamException INVALID_HANDLE (no live event has that number)
     */
    public static Event fromHandle(long number) {
        Failure.check(Native.CALLS.eventRetain(number));
        return new Event(number, Scratch.get());
    }

    /** {@return settings for a new event} */
    public static EventBuilder builder() {
        return new EventBuilder();
    }

    /** {@return a new event without timing; touches no device} */
    public static Event create() {
        return create(0);
    }

    /** {@return a new event that takes time stamps, for {@link #elapsedMs}; touches no device} */
    public static Event timed() {
        return builder().timing().build();
    }

    /**
     * Wraps a raw event handle of the driver, which stays the caller's and must be alive until this object is closed.
     * It counts as recorded. Calls on it are never elided.
     *
     * @param nativeHandle a cudaEvent_t or CUevent
     * @param device the device it belongs to; not checked on CUDA
     * @return the event
     * @throws GpuStreamException INVALID_HANDLE (not an event), INVALID_DEVICE, DEVICE_MISMATCH
     */
    public static Event fromNative(long nativeHandle, Device device) {
        int number = Device.numberOf(device);
        return new Event(Call.forLong(out -> Native.CALLS.eventFromNative(number, nativeHandle, out)), Scratch.get());
    }

    /**
     * Wraps a raw event handle of the driver and runs a function, once, when the last reference is given back: the place
     * to destroy the driver's event. Otherwise as {@link #fromNative}, and {@link ExternalStream#owning} for the function.
     *
     * @param nativeHandle a cudaEvent_t or CUevent, not one of gpustream's own
     * @param device the device it belongs to; not checked on CUDA
     * @param release what to run
     * @return the event
     * @throws GpuStreamException INVALID_ARGUMENT (gpustream's own, or owned already), INVALID_HANDLE, INVALID_DEVICE,
     *     DEVICE_MISMATCH
     */
    public static Event owning(long nativeHandle, Device device, Runnable release) {
        int number = Device.numberOf(device);
        Scratch scratch = Scratch.get();
        Call.registering(
                Objects.requireNonNull(release, "release"),
                Callbacks.ON_RELEASE,
                (end, argument) ->
                        Native.CALLS.eventFromNativeOwned(number, nativeHandle, end, argument, scratch.address));
        return new Event(scratch.getLong(), scratch);
    }

    /**
     * Opens an event that another process exported.
     *
     * @param ipc the other process's {@link #exportIpc()}
     * @param device the device, physically the exporter's
     * @return the event
     * @throws GpuStreamException INVALID_ARGUMENT (the bytes are no exported event), INVALID_DEVICE, DEVICE_MISMATCH,
     *     NOT_SUPPORTED (exported by this very process, or the device has no such events), PEER_LOST
     */
    public static Event openIpc(IpcHandle ipc, Device device) {
        byte[] bytes = Objects.requireNonNull(ipc, "ipc").toByteArray();
        int number = Device.numberOf(device);
        Scratch scratch = Scratch.get().put(bytes);
        Failure.check(Native.CALLS.eventIpcOpen(number, scratch.address, scratch.at(IpcHandle.BYTES)));
        return new Event(scratch.getLong(IpcHandle.BYTES), scratch);
    }

    /** {@return another object for the same event, with a reference of its own} */
    public Event retain() {
        Failure.check(Native.CALLS.eventRetain(handle.use()), this);
        return new Event(handle.number, Scratch.get());
    }

    /**
     * Records the event in a stream: it covers all work submitted there so far, and replaces the previous record. The
     * first record binds the event to the stream's device. Allocates nothing.
     *
     * @param stream the stream
     * @throws GpuStreamException DEVICE_MISMATCH (bound to another device), NOT_SUPPORTED (bound to another backend)
     */
    public void record(Stream stream) {
        Failure.check(Native.CALLS.eventRecord(handle.use(), numberOf(stream, "stream")), this, stream);
    }

    /** Records the event in the calling thread's current stream, as {@link #record(Stream)} does. */
    public void record() {
        Failure.check(Native.CALLS.eventRecord(handle.use(), Constants.STREAM_CURRENT), this);
    }

    /**
     * Makes a stream wait for the event's present record: {@link Stream#waitEvent} with the roles exchanged.
     *
     * @param stream the stream that waits
     * @throws GpuStreamException NOT_SUPPORTED (different backends), PEER_LOST
     */
    public void makeWait(Stream stream) {
        Failure.check(Native.CALLS.eventWait(handle.use(), numberOf(stream, "stream")), this, stream);
    }

    /** Makes the calling thread's current stream wait, as {@link #makeWait(Stream)} does. */
    public void makeWait() {
        Failure.check(Native.CALLS.eventWait(handle.use(), Constants.STREAM_CURRENT), this);
    }

    /**
     * Returns the time between this event's record and another's. Waits for nothing. CUDA resolves about 0.5
     * microseconds.
     *
     * @param end the later event; may be this one
     * @return milliseconds; negative if {@code end} was recorded earlier
     * @throws GpuStreamException TIMING_DISABLED, NOT_RECORDED, DEVICE_MISMATCH, NOT_READY (the work of one is not done
     *     yet), in this order; NOT_SUPPORTED (different backends)
     */
    public double elapsedMs(Event end) {
        Scratch scratch = Scratch.get();
        Failure.check(Native.CALLS.eventElapsedMs(handle.use(), numberOf(end, "end"), scratch.address), this, end);
        return scratch.getDouble();
    }

    /**
     * Records the event as {@link Event#record(Stream)} does, unless it has a record already. Threads must not race for the
     * first record.
     *
     * @param stream the stream
     * @return whether it was recorded now
     * @throws GpuStreamException as {@link Event#record(Stream)}
     */
    public boolean recordOnce(Stream stream) {
        HandleOwner.numberOf(stream, "stream"); // also where it is not used
        boolean first = info("recorded") == 0;
        if (first) {
            record(stream);
        }
        return first;
    }

    /**
     * Records the event in the calling thread's current stream, as {@link Event#recordOnce(Stream)} does.
     *
     * @return whether it was recorded now
     */
    public boolean recordOnce() {
        boolean first = info("recorded") == 0;
        if (first) {
            record();
        }
        return first;
    }

    /**
     * Returns the time between this event's record and another's. Waits for nothing.
     *
     * @param end the later event; may be this one
     * @return nanoseconds; negative if {@code end} was recorded earlier
     * @throws GpuStreamException as {@link Event#elapsedMs}
     */
    public long elapsedNs(Event end) {
        return Math.round(elapsedMs(end) * 1e6);
    }

    /**
     * Returns a future for {@link #elapsedNs}, complete when both records are done. Both events must stay open until
     * then.
     *
     * @param end the later event; may be this one
     * @return nanoseconds; completes exceptionally as {@link Event#completion()}, or with what {@link #elapsedNs} throws
     */
    public CompletableFuture<Long> elapsedNsAsync(Event end) {
        CompletableFuture<Void> last = Objects.requireNonNull(end, "end").completion();
        return completion().thenCombine(last, (one, other) -> elapsedNs(end));
    }

    /** {@return the device that the first record or the export bound it to; empty before} */
    public Optional<Device> device() {
        int device = Call.forInt(out -> Native.CALLS.eventDevice(handle.use(), out), this);
        return device == Constants.DEVICE_NONE ? Optional.empty() : Optional.of(Device.fromNumber(device));
    }

    /** {@return how it was made; TIMING for a wrapped one, INTERPROCESS for an opened one} */
    public Set<EventFlag> flags() {
        return EventFlag.of(info("flags"));
    }

    /**
     * Exports the event to other processes of the machine. It must stay open while they use it. An event not bound yet
     * is bound to the current device.
     *
     * @return 64 bytes for {@link #openIpc}
     * @throws GpuStreamException INVALID_ARGUMENT (made without INTERPROCESS), NOT_SUPPORTED (the device has no such
     *     events, or the event was opened from another process)
     */
    public IpcHandle exportIpc() {
        Scratch scratch = Scratch.get();
        Failure.check(Native.CALLS.eventIpcExport(handle.use(), scratch.address), this);
        return IpcHandle.of(scratch.getBytes(IpcHandle.BYTES));
    }

    /**
     * Waits until the present record of one of several events is complete, for a limited time and until the thread is
     * interrupted; otherwise as {@link Event#synchronize(Duration)}. The events may be of several devices.
     *
     * @param events at least one; those never recorded count as complete
     * @param limit the longest wait, not negative; zero only asks
     * @return index of an event that is complete; empty if the time was over
     * @throws InterruptedException if the thread is interrupted, before or while it waits
     * @throws GpuStreamException INVALID_ARGUMENT (no events); as {@link Event#synchronize(Duration)}
     */
    public static OptionalInt synchronizeAny(List<Event> events, Duration limit) throws InterruptedException {
        int found = synchronize(events, false, limit);
        return found < 0 ? OptionalInt.empty() : OptionalInt.of(found);
    }

    /**
     * Waits until the present records of all of several events are complete; otherwise as {@link Event#synchronizeAny}.
     * The first failure ends the wait.
     *
     * @param events any number
     * @param limit the longest wait, not negative; zero only asks
     * @return whether all are complete
     * @throws InterruptedException if the thread is interrupted, before or while it waits
     * @throws GpuStreamException as {@link Event#synchronize(Duration)}
     */
    public static boolean synchronizeAll(List<Event> events, Duration limit) throws InterruptedException {
        return synchronize(events, true, limit) >= 0;
    }

    private static int synchronize(List<Event> events, boolean all, Duration limit) throws InterruptedException {
        List<Event> kept = List.copyOf(Objects.requireNonNull(events, "events"));
        int found = Waits.events(kept.stream().map(event -> event.handle).toList(), all, limit);
        Reference.reachabilityFence(kept);
        return found;
    }

    /** {@return device and native id; does not count as giving the native handle out} */
    @Override
    public String toString() {
        try {
            return "Event[device=" + device().map(Device::toString).orElse("none") + ", id=0x" + Long.toHexString(id())
                    + "]";
        } catch (IllegalStateException | GpuStreamException gone) {
            return "Event[closed]";
        }
    }
}
