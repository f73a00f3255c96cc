// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import io.gpustream.internal.Callbacks;
import io.gpustream.internal.Completions;
import io.gpustream.internal.Native;
import io.gpustream.internal.Threads;
import io.gpustream.internal.Scratch;
import io.gpustream.internal.lifetime.Handle;
import java.lang.ref.Reference;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/** The ways to await the work of a {@link Stream}. Only streams are one. */
public sealed interface StreamCompletions permits Stream {
    private Handle held() {
        return ((StreamNatives) this).handle;
    }

    /**
     * Returns whether all work submitted is done. Neither blocks nor allocates.
     *
     * @return true if nothing is pending
     * @throws GpuStreamException CAPTURING while the stream is captured, which stays intact
     */
    default boolean query() {
        Scratch scratch = Scratch.get();
        Failure.check(Native.CALLS.streamQuery(held().use(), scratch.address), this);
        return scratch.getInt() != 0;
    }

    /**
     * Waits until all work submitted before the call is done. Blocks the thread, and the carrier of a virtual one, in
     * the way of {@link Library#setWaitMode}; interrupts have no effect until it returns. Another thread may close the
     * stream while it waits.
     *
     * @throws GpuStreamException SYNC_FORBIDDEN ({@link SyncDebugMode#ERROR}), CAPTURING
     */
    default void synchronize() {
        Waits.blocking("Stream.synchronize", held().use(), number -> Native.CALLS.streamSynchronize(number), this);
    }

    /**
     * Waits until all work submitted before the call is done, for a limited time and until the thread is interrupted. A
     * virtual thread leaves its carrier while it waits. A limit that passes, or an interrupt, changes nothing: the work
     * goes on. Another thread may close the stream while it waits.
     *
     * @param limit the longest wait, not negative; zero only asks
     * @return whether the work is done
     * @throws InterruptedException if the thread is interrupted, before or while it waits
     * @throws GpuStreamException SYNC_FORBIDDEN ({@link SyncDebugMode#ERROR}), CAPTURING, or how the work failed
     */
    default boolean synchronize(Duration limit) throws InterruptedException {
        long number = held().use();
        boolean done = Waits.await(
                "Stream.synchronize",
                number,
                limit,
                nanos -> Native.CALLS.streamSynchronizeFor(number, nanos),
                entry -> Completions.addStream(number, entry));
        Reference.reachabilityFence(this);
        return done;
    }

    /**
     * Runs a function once the work submitted so far is done, on the daemon thread "gpustream-callbacks", which runs
     * such functions one after the other. The stream does not wait for it. It runs exactly once, also if the work
     * fails; the failure is logged first. What it throws is logged. If the virtual machine ends first, it does not run.
     * Until then it takes memory; the number of pending functions has no limit.
     *
     * <p>All other functions wait for it, so calls that would wait for device work throw NOT_PERMITTED in it. A function
     * that waits needs an executor of the program.
     *
     * @param function what to run
     * @throws GpuStreamException CAPTURING while the stream is captured, SHUTDOWN while the virtual machine ends; the
     *     function never runs then
     */
    default void addDoneCallback(Runnable function) {
        addDoneCallback(function, Callbacks::run);
    }

    /**
     * As {@link Stream#addDoneCallback(Runnable)}, on an executor. What the executor throws is logged. It is called on
     * the thread that passes on all notifications: one that runs the function in the call delays the others, though no
     * work.
     *
     * @param function what to run
     * @param executor where to run it
     * @throws GpuStreamException as {@link Stream#addDoneCallback(Runnable)}
     */
    default void addDoneCallback(Runnable function, Executor executor) {
        Objects.requireNonNull(function, "function");
        Objects.requireNonNull(executor, "executor");
        long handle = held().use();
        Callbacks.Direct run = status -> {
            if (status != 0) {
                Callbacks.report("work before a function failed", Failure.of(status, "asynchronous work"));
            }
            executor.execute(Threads.knowing(function));
        };
        Call.registering(run, number -> Native.BRIDGE.notifyOn(handle, number));
        Reference.reachabilityFence(this);
    }

    /**
     * Runs a function as a part of this stream's work, as cudaLaunchHostFunc does: when the earlier work is done, and
     * later work waits until it has returned. It runs on a daemon thread "gpustream-host-functions"; what it throws is
     * logged. It must not wait for work of any stream. Calls that wait throw NOT_PERMITTED; waits through
     * locks may never end. Exactly once, unless the device is unusable because of an earlier error or the virtual
     * machine ends first. While the stream is captured, the function becomes a node of the graph, as by
     * {@link Graph#addHost}.
     *
     * @param function what to run
     * @throws GpuStreamException CAPTURING while other code captures the stream, NOT_SUPPORTED (the driver has no such
     *     functions), SHUTDOWN while the virtual machine ends; the function never runs then
     */
    default void launchHost(Runnable function) {
        AfterWork.launch(held(), Objects.requireNonNull(function, "function"));
        Reference.reachabilityFence(this);
    }

    /**
     * Returns a future for the work submitted so far, with which a virtual thread waits without occupying its carrier.
     * Dependent stages run on a daemon thread "gpustream-completions" and may block. Functions of
     * {@link Stream#addDoneCallback(Runnable)} do not delay it. Cancelling it, or completing it otherwise, does not affect
     * the work; the library then forgets that it was asked for.
     *
     * @return completes when the work is done; exceptionally with the {@link GpuStreamException} that the work failed
     *     with, or with SHUTDOWN if the virtual machine ends first
     * @throws GpuStreamException CAPTURING while the stream is captured, SHUTDOWN while the virtual machine ends
     */
    default CompletableFuture<Void> completion() {
        long number = held().use();
        CompletableFuture<Void> future = Completion.of(entry -> Completions.addStream(number, entry));
        Reference.reachabilityFence(this);
        return future;
    }

    /**
     * Runs a function, once, some time after the work submitted so far is done: the place to close what it uses. Costs
     * no call of the driver. Functions are collected and run together, at the latest after {@link Library#trim}, on the
     * daemon thread "gpustream-callbacks", also if the work failed; what they throw is logged. In a capture the
     * function runs when the graph, its executables and their launches have ended. It does not run if the virtual
     * machine ends first.
     *
     * @param release what to run; should not block for long
     * @throws GpuStreamException NOT_SUPPORTED (captured, and the driver cannot keep objects for graphs), SHUTDOWN
     *     while the virtual machine ends; the function never runs then
     */
    default void defer(Runnable release) {
        long handle = held().use();
        Call.registering(
                Objects.requireNonNull(release, "release"),
                Callbacks.ON_END,
                (function, argument) -> Native.CALLS.streamDefer(handle, function, argument));
        Reference.reachabilityFence(this);
    }
}
