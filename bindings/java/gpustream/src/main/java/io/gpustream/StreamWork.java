// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import io.gpustream.internal.Callbacks;
import io.gpustream.internal.Native;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/** The part of {@link Stream} that submits work and functions to follow it. */
abstract class StreamWork extends StreamIdentity {
    StreamWork(long number, boolean owned) {
        super(number, owned);
    }

    /**
     * Runs a function once the work submitted so far is done, on a daemon thread that serves all such functions in
     * turn. Later work of the stream does not wait for it, and neither driver nor library are held up, so it may do
     * anything. It runs exactly once, also if the work fails; then the failure is logged first. What it throws is
     * logged.
     *
     * @throws GpuStreamException CAPTURING while the stream is captured; the function is never run then
     */
    public void launchHost(Runnable function) {
        launchHost(function, Callbacks::run);
    }

    /** As {@link #launchHost(Runnable)}, on an executor; if that refuses the function, the refusal is logged. */
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
     * way to wait on a virtual thread without occupying its carrier. Cancelling it does not touch the work.
     *
     * @throws GpuStreamException CAPTURING while the stream is captured
     */
    public CompletableFuture<Void> completion() {
        CompletableFuture<Void> done = new CompletableFuture<>();
        // What depends on the future runs where it is completed, so that is not the library's thread.
        afterWork(status -> Callbacks.run(() -> {
            if (status == 0) {
                done.complete(null);
            } else {
                done.completeExceptionally(
                        Failure.plain(status, Native.LIBRARY.statusMessage(status), null));
            }
        }));
        return done;
    }

    private void afterWork(Callbacks.Direct function) {
        long stream = handle.get();
        long number = Callbacks.register(function);
        int status = Native.STREAMS.streamNotify(stream, Native.BRIDGE.notifyFunction(), number);
        Reference.reachabilityFence(this);
        if (status != 0) {
            Callbacks.forget(number);
            throw Failure.of(status);
        }
    }

    /** Keeps what the garbage collector could take reachable until the work submitted so far is done. */
    final void keepUntilDone(Object what) {
        long number = Callbacks.register(new Callbacks.Kept(what));
        // Also if another thread has closed the stream since: then the library refuses.
        int status = Native.STREAMS.streamNotify(handle.number, Native.BRIDGE.notifyFunction(), number);
        Reference.reachabilityFence(this);
        if (status != 0) {
            // The work is submitted already and must not seem to have failed; a captured stream refuses, for one. Then
            // only the end of the stream is a safe end.
            Callbacks.forget(number);
            handle.keep(what);
        }
    }

    /** Occupies the stream: clock cycles of the device, nanoseconds on host. For tests and demonstrations. */
    public void sleep(long cycles) {
        if (cycles < 0) {
            throw new IllegalArgumentException("cycles is " + cycles);
        }
        int status = Native.STREAMS.streamSleep(handle.get(), cycles);
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
     * reachable until the copy is done; its content must not change until then.
     *
     * @throws IllegalArgumentException if the buffer is not direct, or the sizes differ
     */
    public void copy(Memory target, ByteBuffer source) {
        Objects.requireNonNull(target, "target");
        Objects.requireNonNull(source, "source");
        copy(target.address(), addressOf(source, "source"), common(target.byteSize(), source.remaining()));
        keepUntilDone(source);
    }

    /**
     * Copies memory over the buffer's remaining bytes in stream order. The buffer's position stays, and it is kept
     * reachable until the copy is done.
     *
     * @throws IllegalArgumentException if the buffer is not direct, or the sizes differ
     */
    public void copy(ByteBuffer target, Memory source) {
        Objects.requireNonNull(target, "target");
        Objects.requireNonNull(source, "source");
        if (target.isReadOnly()) {
            throw new IllegalArgumentException("target is read-only");
        }
        copy(addressOf(target, "target"), source.address(), common(target.remaining(), source.byteSize()));
        keepUntilDone(target);
    }

    /**
     * Copies between raw addresses in stream order, in whichever direction. The caller vouches for both ranges until
     * the copy is done.
     *
     * @throws GpuStreamException INVALID_ARGUMENT (an address is 0 while bytes is not, bytes is negative)
     */
    public void copy(long target, long source, long bytes) {
        int status = Native.WORK.memcpyAsync(target, source, bytes, handle.get());
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
                Objects.requireNonNull(target, "target").address(), value, target.byteSize(), handle.get());
        Reference.reachabilityFence(this);
        Failure.check(status);
    }

    static long common(long target, long source) {
        if (target != source) {
            throw new IllegalArgumentException("target has " + target + " bytes, source has " + source);
        }
        return target;
    }

    private static long addressOf(ByteBuffer buffer, String name) {
        if (!buffer.isDirect()) {
            throw new IllegalArgumentException(name + " is no direct buffer: the collector may move its bytes");
        }
        return Native.BRIDGE.addressOf(buffer) + buffer.position();
    }
}
