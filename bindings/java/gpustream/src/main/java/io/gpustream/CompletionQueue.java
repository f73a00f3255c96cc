// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import io.gpustream.internal.Layouts;
import io.gpustream.internal.Native;
import io.gpustream.internal.Scratch;
import io.gpustream.internal.Struct;
import io.gpustream.internal.lifetime.Handle;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A queue that reports when points of streams are reached, for event loops of one's own; {@link Stream#completion()} is
 * simpler. Each successful {@code add} is followed by exactly one entry, also if the work fails, the device is lost, or
 * the stream or event is closed. If point b cannot be reached before point a, and a was added before b, a's entry comes
 * first.
 *
 * <p>Ownership, threads and errors are as for {@link Stream}; every object is owned. Several threads may take entries;
 * each entry goes to one of them. Closing the last object of a queue drops its entries; waits end with INVALID_HANDLE,
 * and the work is not affected.
 */
public final class CompletionQueue extends HandleOwner {
    private static final Struct LAYOUT = Layouts.COMPLETION;

    private CompletionQueue(long number, Scratch scratch) {
        super(Handle.Kind.QUEUE, number, scratch);
    }

    /**
     * The end of some work.
     *
     * @param token as it was added
     * @param status {@link Status#OK}, {@link Status#CANCELLED}, or how the work failed
     * @param nativeCode the driver's code of a failure; 0 if there is none
     * @param device the device of the work
     * @param timeNanos when it was seen, on the clock of {@link System#nanoTime()}
     */
    public record Entry(long token, Status status, int nativeCode, Device device, long timeNanos) {
        /**
         * Throws unless the work is done.
         *
         * @throws GpuStreamException with the status
         */
        public void check() {
            if (status != Status.OK) {
                throw Failure.ofWork(status.code(), nativeCode);
            }
        }
    }

    /**
     * {@return a new queue}
     *
     * @param capacity how many entries may be undelivered at a time, added and not yet taken; at least 1
     * @throws GpuStreamException INVALID_ARGUMENT (capacity is 0)
     * @throws IllegalArgumentException if capacity is negative
     */
    public static CompletionQueue create(int capacity) {
        if (capacity < 0) {
            throw new IllegalArgumentException("capacity is " + capacity);
        }
        Scratch scratch = Scratch.get();
        Failure.check(Native.CALLS.queueCreate(capacity, 0, scratch.address));
        return new CompletionQueue(scratch.getLong(), scratch);
    }

    /**
     * Returns an object for a queue of the library that C or another language has made, with a reference of its own.
     *
     * @param number a {@code gs_queue_t}, as a number
     * @return the queue
     * @throws GpuStreamException INVALID_HANDLE (no live queue has that number)
     */
    public static CompletionQueue fromHandle(long number) {
        Failure.check(Native.CALLS.queueRetain(number));
        return new CompletionQueue(number, Scratch.get());
    }

    /**
     * Adds the work submitted to a stream so far. Later work, and closing the stream, do not matter. Does not block.
     *
     * @param stream the stream
     * @param token returned in the entry; any number
     * @throws GpuStreamException FULL (nothing was added), CAPTURING while the stream is captured, which stays intact
     */
    public void add(Stream stream, long token) {
        Failure.check(Native.CALLS.queueAddStream(handle.use(), numberOf(stream, "stream"), token), this, stream);
    }

    /**
     * Adds the record that an event has now; the entry comes at once if it is complete or was never recorded. Later
     * records, and closing the event, do not matter. Does not block.
     *
     * @param event the event
     * @param token returned in the entry; any number
     * @throws GpuStreamException FULL (nothing was added), CAPTURING (recorded in a capture that has not ended)
     */
    public void add(Event event, long token) {
        Failure.check(Native.CALLS.queueAddEvent(handle.use(), numberOf(event, "event"), token), this, event);
    }

    /**
     * Delivers the entries with a token now, as {@link Status#CANCELLED}. Entries delivered already, and the work, are
     * not affected.
     *
     * @param token as it was added
     * @return how many entries were cancelled
     */
    public long cancel(long token) {
        return Call.forLong(out -> Native.CALLS.queueCancel(handle.use(), token, out), this);
    }

    private interface Taker {
        int take(long queue, long out, long room, long outCount);
    }

    /** Null: the time was over. */
    private List<Entry> take(int most, Taker taker) {
        if (most < 1) {
            throw new IllegalArgumentException("most is " + most);
        }
        int room = Math.min(most, 1024);
        ByteBuffer memory = Scratch.direct(8 + room * LAYOUT.size());
        long count = Native.BRIDGE.addressOf(memory);
        int status = taker.take(handle.use(), count + 8, room, count);
        Reference.reachabilityFence(this);
        if (status == Status.TIMEOUT.code()) {
            return null;
        }
        Failure.check(status);
        List<Entry> entries = new ArrayList<>();
        for (int i = 0; i < memory.getLong(0); i++) {
            entries.add(read(memory, 8 + i * LAYOUT.size()));
        }
        return entries;
    }

    private List<Entry> take(int most, long nanos) {
        return take(most, (queue, out, room, count) -> Native.CALLS.queueWait(queue, out, room, nanos, count));
    }

    private static Entry read(ByteBuffer memory, int at) {
        return new Entry(
                memory.getLong(at + offset("token")),
                Status.of(memory.getInt(at + offset("status"))),
                memory.getInt(at + offset("native_code")),
                Device.fromNumber(memory.getInt(at + offset("device"))),
                memory.getLong(at + offset("time_ns")));
    }

    private static int offset(String field) {
        return LAYOUT.fields().get(field).offset();
    }

    /**
     * Takes entries without waiting for any.
     *
     * @param most how many at the most, at least 1
     * @return the entries in the order of their delivery, at most 1024; empty if none waits
     */
    public List<Entry> poll(int most) {
        return take(most, Native.CALLS::queuePoll);
    }

    /**
     * Takes entries, after waiting for the first one. A virtual thread leaves its carrier while it waits.
     *
     * @param most how many at the most, at least 1
     * @param limit the longest wait, not negative
     * @return the entries in the order of their delivery, at most 1024; empty if the time was over, after
     *     {@link #wake()}, or if another waiting thread was interrupted. If this thread is interrupted when there are
     *     entries already, they are returned, and it stays interrupted
     * @throws InterruptedException if the thread is interrupted, before or while it waits
     * @throws GpuStreamException INVALID_HANDLE (the queue was closed during the wait)
     */
    public List<Entry> await(int most, Duration limit) throws InterruptedException {
        long nanos = Waits.nanos(limit);
        Waits.throwIfInterrupted();
        List<Entry> taken = take(most, 0);
        if (taken == null && nanos != 0) {
            taken = Waits.recorded(
                    "CompletionQueue.await",
                    handle.number,
                    () -> Waits.elsewhere(
                            () -> take(most, nanos),
                            this::wakeIfOpen,
                            entries -> !entries.isEmpty()));
        }
        return taken == null ? List.of() : taken;
    }

    /** Makes waiting threads return without an entry; if none waits, the next one that would. */
    public void wake() {
        Failure.check(Native.CALLS.queueWake(handle.use()), this);
    }

    private void wakeIfOpen() {
        Native.CALLS.queueWake(handle.number); // a queue that is gone has no waiting threads
        Reference.reachabilityFence(this);
    }

    /**
     * Returns a file descriptor that is readable while entries wait, for native event loops such as epoll. To be polled
     * only: never to be read or closed.
     *
     * @return the descriptor, the same each time; the queue closes it at its end
     * @throws GpuStreamException SYSTEM (none can be made)
     */
    public int fd() {
        return Call.forInt(out -> Native.CALLS.queueFd(handle.use(), out), this);
    }
}
