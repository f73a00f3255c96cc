// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import io.gpustream.internal.Constants;
import io.gpustream.internal.Native;
import io.gpustream.internal.Scratch;
import io.gpustream.internal.lifetime.Handle;
import io.gpustream.internal.lifetime.Leak;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The memory of a {@link StreamBuffer} and its slices, and the streams that use it. The first use in another stream is
 * ordered behind the allocation, and the memory is freed behind the work of all streams. All work on the memory and the free
 * are submitted under its lock, so no work follows the free.
 */
final class StreamBlock {
    /** The memory has ended with its driver, its device or the parent process. Other calls report that. */
    private static final Set<Status> GONE =
            EnumSet.of(Status.BAD_FORK, Status.SHUTDOWN, Status.STICKY, Status.CONTEXT_LOST);

    /** From so many users on, those that have done their work are forgotten: a buffer that lives long would keep them all. */
    static final int MANY_USERS = 16;

    private static final AtomicLong MADE = new AtomicLong();

    final long bytes;
    final Stream stream; // borrowed from the handle
    private final long address;
    private final Handle handle;
    private final Map<Long, Stream> users = new LinkedHashMap<>(); // other streams that may use the memory, by number
    private final Set<Long> recorded = new HashSet<>(); // those of recordStream(): they may get work at any time
    private Event begun; // behind the allocation, once another stream uses the memory; null before
    private final Leak leak;
    final long order = MADE.incrementAndGet(); // in which locks of two blocks are taken

    /** Takes over memory and a reference of a stream. */
    StreamBlock(long address, long bytes, long stream, String what) {
        this.address = address;
        this.bytes = bytes;
        handle = Handle.owned(Handle.Kind.STREAM, stream, this);
        this.stream = new Stream(stream, false);
        leak = Leak.ofMemory(this, what, bytes);
    }

    long address() {
        leak.requireUsable();
        return address;
    }

    boolean isOpen() {
        return leak.isUsable();
    }

    /** Submits work of a stream that uses the memory. */
    synchronized void use(long number, Runnable submit) {
        leak.requireUsable();
        if (bytes != 0 && !knows(number)) {
            Stream user = new Stream(number, false);
            Stream noted = forAllThreads(user);
            if (noted.handle.number != handle.number) {
                order(user);
            }
            addUser(noted);
        }
        submit.run();
    }

    /** A per-thread stream is another one on each thread. The default stream's work comes after that of all of them. */
    private static Stream forAllThreads(Stream user) {
        return user.isPerThread() ? Stream.defaultStream(user.device()) : user;
    }

    private boolean knows(long number) {
        return number == handle.number || users.containsKey(number);
    }

    /** Orders a stream behind the allocation. A graph cannot wait for work from outside of it, so the host does. */
    private void order(Stream user) {
        boolean capturing = user.isCapturing();
        if (begun == null) {
            boolean hidden = stream.isCapturing();
            if (hidden && capturing) {
                return;
            }
            if (hidden) {
                throw Failure.of(
                        Status.CAPTURING,
                        "the buffer's stream is being captured, so that another one cannot wait for the allocation: "
                                + "use the buffer there before, or recordStream() it");
            }
            begun = stream.recordEvent();
        }
        if (capturing) {
            begun.synchronize();
        } else {
            user.waitEvent(begun);
        }
    }

    private void addUser(Stream user) {
        if (knows(user.handle.use())) {
            return;
        }
        if (users.size() >= MANY_USERS) {
            users.values().removeIf(this::forget);
        }
        users.put(user.handle.number, user.retain());
    }

    private boolean forget(Stream user) {
        if (recorded.contains(user.handle.number) || !isDone(user)) {
            return false;
        }
        user.close();
        return true;
    }

    private static boolean isDone(Stream user) {
        try {
            return user.query();
        } catch (GpuStreamException unknown) {
            return false; // it is being captured, or has failed
        }
    }

    /** The block is freed after the work that {@code user} has then. */
    synchronized void record(Stream user) {
        leak.requireUsable();
        addUser(user);
        recorded.add(user.handle.number);
    }

    synchronized List<Stream> users() {
        leak.requireUsable();
        return List.copyOf(users.values());
    }

    /** Blocks until the work that may use the memory is done. */
    void await() {
        List<Stream> all = users();
        stream.synchronize();
        all.forEach(Stream::synchronize);
        Reference.reachabilityFence(this);
    }

    /** Frees the memory in stream order. Later calls do nothing. */
    synchronized void close(Runnable beforeFree) {
        boolean freed = leak.free(() -> {
            beforeFree.run();
            unlessGone(this::free);
        });
        if (freed) {
            users.values().forEach(Stream::close);
            users.clear();
            if (begun != null) {
                begun.close();
            }
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

    private void free() {
        if (users.isEmpty()) {
            int status = Native.CALLS.freeAsync(address, handle.number);
            if (status != Constants.ERROR_CAPTURING) {
                Failure.check(status);
                return;
            }
        }
        int count = users.size() + 1;
        ByteBuffer streams = Scratch.direct(8 * count);
        streams.putLong(handle.number);
        users.keySet().forEach(streams::putLong);
        Failure.check(Native.CALLS.freeAfter(address, Native.BRIDGE.addressOf(streams), count), streams);
    }
}
