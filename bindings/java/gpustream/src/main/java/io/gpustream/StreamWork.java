// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import io.gpustream.internal.Callbacks;
import io.gpustream.internal.Native;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.LongToIntFunction;

/** The part of {@link Stream} that submits work and functions to follow it. */
abstract class StreamWork extends StreamIdentity {
    StreamWork(long number, boolean owned) {
        super(number, owned);
    }

    /**
     * Runs a function once the work submitted so far is done, on a daemon thread that serves all such functions in
     * turn. Later work of the stream does not wait for it, and neither driver nor library are held up, so it may do
     * anything. It runs exactly once, also if the work fails; then the failure is logged first. What it throws is
     * logged. Any number may be due, each of which takes memory until it has run. When the virtual machine ends, those
     * that have not run are dropped.
     *
     * @throws GpuStreamException CAPTURING while the stream is captured, SHUTDOWN while the virtual machine ends; the
     *     function is never run then
     */
    public void launchHost(Runnable function) {
        launchHost(function, Callbacks::run);
    }

    /**
     * As {@link #launchHost(Runnable)}, on an executor; if that refuses the function, the refusal is logged. The
     * executor is called on the thread that takes the library's notes: one that runs the function at once holds up all other
     * notifications, though no work.
     */
    public void launchHost(Runnable function, Executor executor) {
        Objects.requireNonNull(function, "function");
        Objects.requireNonNull(executor, "executor");
        afterWork(status -> {
            if (status != 0) {
                Callbacks.report("work before a function failed", Failure.plain(status, "asynchronous work", null));
            }
            executor.execute(function);
        });
    }

    /**
     * Completes when the work submitted so far is done, or with the {@link GpuStreamException} that it failed with. The
     * way to wait on a virtual thread without occupying its carrier. Cancelling it does not touch the work. It is
     * completed on a daemon thread of its own, where what depends on it runs and may wait, whatever functions of
     * {@link #launchHost(Runnable)} are doing. If the virtual machine ends first, it completes with SHUTDOWN.
     *
     * @throws GpuStreamException CAPTURING while the stream is captured, SHUTDOWN while the virtual machine ends
     */
    public CompletableFuture<Void> completion() {
        Completion completion = new Completion();
        afterWork(completion);
        return completion.future;
    }

    private void afterWork(Callbacks.Direct function) {
        long stream = handle.use();
        long number = Callbacks.register(function);
        int status = Native.BRIDGE.notifyOn(stream, number);
        Reference.reachabilityFence(this);
        if (status != 0) {
            Callbacks.forget(number);
            throw Failure.of(status);
        }
    }

    /**
     * Submits work and keeps what the garbage collector could take reachable until it is done. The function is given the
     * stream's number and returns a status.
     */
    final void submitKeeping(Object what, LongToIntFunction submit) {
        // With a reference of its own: another thread may close the stream between the work and the notification.
        long number = handle.use();
        Failure.check(Native.STREAMS.streamRetain(number));
        try {
            Failure.check(submit.applyAsInt(number));
            keepUntilDone(number, what);
        } finally {
            Handle.giveBack(Handle.Kind.STREAM, number);
            Reference.reachabilityFence(what);
            Reference.reachabilityFence(this);
        }
    }

    private void keepUntilDone(long stream, Object what) {
        long number = Callbacks.register(new Callbacks.Kept(what));
        int status = Native.BRIDGE.notifyOn(stream, number);
        // The work is submitted and must not seem to have failed. In a capture nobody knows when it is done: it is kept
        // as long as this object, and the program answers for the rest. After any other refusal it stays registered,
        // which is for ever: better than memory that a device still uses.
        if (status == Status.CAPTURING.code()) {
            Callbacks.forget(number);
            handle.keep(what);
        }
    }

    /** Occupies the stream: clock cycles of the device, nanoseconds on host. For tests and demonstrations. */
    public void sleep(long cycles) {
        if (cycles < 0) {
            throw new IllegalArgumentException("cycles is " + cycles);
        }
        int status = Native.STREAMS.streamSleep(handle.use(), cycles);
        Reference.reachabilityFence(this);
        Failure.check(status);
    }

    /**
     * Allocates device memory in stream order: usable by work submitted to this stream later; other streams wait for an
     * event first.
     *
     * @param bytes at least 1
     * @throws GpuStreamException OUT_OF_MEMORY, NOT_SUPPORTED (the device has no stream-ordered memory)
     */
    public DeviceMemory allocate(long bytes) {
        return DeviceMemory.allocate(this, bytes);
    }

    /** Frees device memory in the order of this stream: after the work submitted so far. Closes the object. */
    public void free(DeviceMemory memory) {
        Objects.requireNonNull(memory, "memory").free(this);
    }

    /**
     * Copies memory in stream order, in whichever direction; both must stay open until it is done. Does not block
     * between a device and {@link HostMemory}.
     *
     * @throws IllegalArgumentException if the sizes differ
     */
    public void copy(Memory target, Memory source) {
        Objects.requireNonNull(target, "target");
        Objects.requireNonNull(source, "source");
        copy(target.address(), source.address(), common(target.byteSize(), source.byteSize()));
    }

    /**
     * Copies the buffer's remaining bytes into memory in stream order. The buffer's position stays, and it is kept
     * reachable until the copy is done; its content must not change until then. While the stream is captured, the
     * program keeps the buffer for as long as the graph may run; so with all copies from and to buffers and segments.
     *
     * @throws IllegalArgumentException if the buffer is not direct, or the sizes differ
     * @throws IllegalStateException if the memory is closed or, from Java 22 on, the arena that the buffer is of
     */
    public void copy(Memory target, ByteBuffer source) {
        Objects.requireNonNull(target, "target");
        Objects.requireNonNull(source, "source");
        long bytes = common(target.byteSize(), source.remaining());
        copyKeeping(target.address(), addressOf(source, "source"), bytes, source);
    }

    /**
     * Copies memory over the buffer's remaining bytes in stream order. The buffer's position stays, and it is kept
     * reachable until the copy is done.
     *
     * @throws IllegalArgumentException if the buffer is not direct or read-only, or the sizes differ
     * @throws IllegalStateException if the memory is closed or, from Java 22 on, the arena that the buffer is of
     */
    public void copy(ByteBuffer target, Memory source) {
        Objects.requireNonNull(target, "target");
        Objects.requireNonNull(source, "source");
        if (target.isReadOnly()) {
            throw new IllegalArgumentException("target is read-only");
        }
        long bytes = common(target.remaining(), source.byteSize());
        copyKeeping(addressOf(target, "target"), source.address(), bytes, target);
    }

    final void copyKeeping(long target, long source, long bytes, Object what) {
        submitKeeping(what, stream -> Native.WORK.memcpyAsync(target, source, bytes, stream));
    }

    /**
     * Copies between raw addresses in stream order, in whichever direction. The caller vouches for both ranges until
     * the copy is done.
     *
     * @throws GpuStreamException INVALID_ARGUMENT (an address is 0 while bytes is not, bytes is negative)
     */
    public void copy(long target, long source, long bytes) {
        int status = Native.WORK.memcpyAsync(target, source, bytes, handle.use());
        Reference.reachabilityFence(this);
        Failure.check(status);
    }

    /**
     * Fills memory with a byte in stream order.
     *
     * @param value 0 to 255
     * @throws GpuStreamException INVALID_ARGUMENT (value out of range)
     */
    public void fill(Memory target, int value) {
        int status = Native.WORK.memsetAsync(
                Objects.requireNonNull(target, "target").address(), value, target.byteSize(), handle.use());
        Reference.reachabilityFence(this);
        Failure.check(status);
    }

    static long common(long target, long source) {
        if (target != source) {
            throw new IllegalArgumentException("target has " + target + " bytes, source has " + source);
        }
        return target;
    }

    /** Throws IllegalStateException if the buffer is of an arena that is closed: its address is not checked by Java. */
    abstract void requireAlive(ByteBuffer buffer, String name);

    private long addressOf(ByteBuffer buffer, String name) {
        if (!buffer.isDirect()) {
            throw new IllegalArgumentException(name + " is no direct buffer: the collector may move its bytes");
        }
        requireAlive(buffer, name);
        return Native.BRIDGE.addressOf(buffer) + buffer.position();
    }
}
