// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import io.gpustream.internal.Native;
import io.gpustream.internal.lifetime.Handle;
import io.gpustream.internal.lifetime.Leak;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The memory of a {@link StreamBuffer} and its slices. What is submitted for it, and the end, happen under its lock: no
 * work follows the free.
 */
final class StreamBlock {
    /** The memory has ended with its driver, its device or the parent process. Other calls report that. */
    private static final Set<Status> GONE =
            EnumSet.of(Status.BAD_FORK, Status.SHUTDOWN, Status.STICKY, Status.CONTEXT_LOST);

    private static final AtomicLong MADE = new AtomicLong();

    final long bytes;
    final Stream stream; // borrowed from the handle
    private final long address;
    private final Handle handle;
    private final List<Stream> users = new ArrayList<>(); // other streams that may use the memory
    private final Leak leak;
    private final long order = MADE.incrementAndGet(); // in which locks of two blocks are taken

    /** Takes over memory and a reference of a stream. */
    StreamBlock(long address, long bytes, long stream, String what) {
        this.address = address;
        this.bytes = bytes;
        handle = Handle.owned(Handle.Kind.STREAM, stream, this);
        this.stream = new Stream(stream, false);
        leak = new Leak(this, what, " of " + bytes + " bytes");
    }

    long address() {
        leak.requireUsable();
        return address;
    }

    boolean isOpen() {
        return leak.isUsable();
    }

    /** Submits work that uses the memory. */
    synchronized void use(Runnable submit) {
        leak.requireUsable();
        submit.run();
    }

    /** Submits work of one block's stream that uses another's memory too. */
    static void useBoth(StreamBlock one, StreamBlock other, Runnable submit) {
        StreamBlock first = one.order < other.order ? one : other;
        StreamBlock second = first == one ? other : one;
        first.use(() -> second.use(submit));
    }

    /** The block is freed after the present work of {@code user} as well. Under the lock. */
    void addUser(Stream user) {
        long number = user.handle.use();
        if (number != handle.number && users.stream().noneMatch(known -> known.handle.number == number)) {
            users.add(user.retain());
        }
    }

    /** Blocks until the work that may use the memory is done. */
    void await() {
        List<Stream> all = new ArrayList<>();
        use(() -> all.addAll(users));
        stream.synchronize();
        all.forEach(Stream::synchronize);
        Reference.reachabilityFence(this);
    }

    /** Frees the memory in stream order. Later calls do nothing. */
    synchronized void close(Runnable beforeFree) {
        boolean freed = leak.free(() -> {
            unlessGone(this::requireNoCapture);
            beforeFree.run();
            unlessGone(this::free);
        });
        if (freed) {
            users.forEach(Stream::close);
            users.clear();
            handle.close();
        }
        Reference.reachabilityFence(this);
    }

    private static void unlessGone(Runnable call) {
        try {
            call.run();
        } catch (GpuStreamException failure) {
            if (!GONE.contains(failure.status())) {
                throw failure;
            }
        }
    }

    private void requireNoCapture() {
        if (stream.isCapturing()) {
            throw Failure.of(
                    Status.CAPTURING, "the stream is being captured: each launch of the graph would free the buffer");
        }
    }

    private void free() {
        if (users.isEmpty()) {
            Failure.check(Native.CALLS.freeAsync(address, handle.number));
            return;
        }
        int count = users.size() + 1;
        ByteBuffer streams = ByteBuffer.allocateDirect(8 * count).order(ByteOrder.nativeOrder());
        streams.putLong(handle.number);
        users.forEach(user -> streams.putLong(user.handle.number));
        int status = Native.CALLS.freeAfter(address, Native.BRIDGE.addressOf(streams), count);
        Reference.reachabilityFence(streams);
        Failure.check(status);
    }
}
