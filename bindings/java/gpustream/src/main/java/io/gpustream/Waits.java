// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import io.gpustream.internal.Callbacks;
import io.gpustream.internal.Completions;
import io.gpustream.internal.Native;
import io.gpustream.internal.Scratch;
import io.gpustream.internal.jfr.Recorder;
import io.gpustream.internal.lifetime.Handle;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.IntSupplier;
import java.util.function.LongToIntFunction;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;
import java.util.stream.IntStream;

/** Waits that end when the thread is interrupted. They park it in Java, so that a virtual thread leaves its carrier. */
final class Waits {
    /** How long native code may go on waiting after the thread that asked for it has stopped. */
    private static final long SLICE_NANOS = 50_000_000;

    private Waits() {}

    /** Nanoseconds, as many as a long can hold. Throws IllegalArgumentException for a negative limit. */
    static long nanos(Duration limit) {
        if (Objects.requireNonNull(limit, "limit").isNegative()) {
            throw new IllegalArgumentException("limit is " + limit);
        }
        try {
            return limit.toNanos();
        } catch (ArithmeticException centuries) {
            return Long.MAX_VALUE;
        }
    }

    static void throwIfInterrupted() throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
    }

    /** A wait that an interrupt ends. */
    interface Interruptible<T> {
        T run() throws InterruptedException;
    }

    /** Waits, as an event of the flight recorder: in {@code method}, for the object with that handle. */
    static <T> T recorded(String method, long handle, Interruptible<T> wait) throws InterruptedException {
        Runnable span = Recorder.wait(method, handle);
        try {
            return wait.run();
        } finally {
            Recorder.done(span);
        }
    }

    /** Waits in native code until the call returns, as an event of the flight recorder. */
    static void blocking(String method, long handle, LongToIntFunction call, Object used) {
        Runnable wait = Recorder.wait(method, handle);
        int status = call.applyAsInt(handle);
        Recorder.done(wait);
        Failure.check(status, used);
    }

    /**
     * Adds entries and waits until all of them are done, or one. The first failure ends the wait. What is left is cancelled.
     *
     * @return index of one that is done; -1: the time was over
     */
    private static int await(List<ToIntFunction<Completions.Entry>> adders, boolean all, long nanos)
            throws InterruptedException {
        List<CompletableFuture<Void>> parts = new ArrayList<>();
        try {
            adders.forEach(adder -> parts.add(Completion.here(adder)));
            CompletableFuture<?>[] each = parts.toArray(CompletableFuture[]::new);
            CompletableFuture<?> done = all ? CompletableFuture.allOf(each) : CompletableFuture.anyOf(each);
            parts.forEach(part -> part.whenComplete((nothing, failure) -> {
                if (failure != null) {
                    done.completeExceptionally(failure);
                }
            }));
            done.get(nanos, TimeUnit.NANOSECONDS);
            return IntStream.range(0, each.length).filter(i -> each[i].isDone()).findFirst().orElseThrow();
        } catch (TimeoutException over) {
            return -1;
        } catch (ExecutionException failed) {
            throw unchecked(failed);
        } finally {
            parts.forEach(part -> part.cancel(false));
        }
    }

    /** The same for one entry, if the work is not done by now: whether it is done in time. {@code ask} waits that long. */
    static boolean await(
            String method, long handle, Duration limit, LongToIntFunction ask, ToIntFunction<Completions.Entry> adder)
            throws InterruptedException {
        return asked(method, handle, limit, ask, () -> 0, nanos -> await(List.of(adder), true, nanos)) >= 0;
    }

    /** The same for work that only {@code wait} can wait for, which is given nanoseconds and returns a status. */
    static boolean inSlices(String method, long handle, Duration limit, LongToIntFunction wait)
            throws InterruptedException {
        return asked(method, handle, limit, wait, () -> 0, nanos -> inSlices(nanos, wait) ? 0 : -1) >= 0;
    }

    /** The index of an event that is complete, where {@code all} are if they must be; -1: the time was over. */
    static int events(List<Handle> events, boolean all, Duration limit) throws InterruptedException {
        int count = events.size();
        ByteBuffer numbers = Scratch.direct(8 * Math.max(1, count));
        events.forEach(event -> numbers.putLong(event.use()));
        long address = Native.BRIDGE.addressOf(numbers);
        Scratch scratch = Scratch.get();
        int found = asked(
                all ? "Event.synchronizeAll" : "Event.synchronizeAny",
                0,
                limit,
                nanos -> all
                        ? Native.CALLS.eventSynchronizeAll(address, count, nanos)
                        : Native.CALLS.eventSynchronizeAny(address, count, nanos, scratch.address),
                () -> all ? 0 : (int) scratch.getLong(),
                nanos -> await(addersOf(events), all, nanos));
        Reference.reachabilityFence(numbers);
        return found;
    }

    private interface Waiter {
        int await(long nanos) throws InterruptedException;
    }

    /** Asks at first, and then waits. The index of what is done; -1: the time was over. */
    private static int asked(
            String method, long handle, Duration limit, LongToIntFunction ask, IntSupplier found, Waiter waiter)
            throws InterruptedException {
        long nanos = nanos(limit);
        throwIfInterrupted();
        int status = ask.applyAsInt(0);
        if (status != Status.TIMEOUT.code()) {
            Failure.check(status);
            return found.getAsInt();
        }
        return nanos == 0 ? -1 : recorded(method, handle, () -> waiter.await(nanos));
    }

    private static List<ToIntFunction<Completions.Entry>> addersOf(List<Handle> events) {
        List<ToIntFunction<Completions.Entry>> adders = new ArrayList<>();
        events.forEach(event -> adders.add(entry -> Completions.addEvent(event.use(), entry)));
        return adders;
    }

    /**
     * Runs a call that blocks in native code on another thread and waits for it.
     *
     * @param wake makes the call return, if it is called often enough
     * @param mustNotBeLost of what it returned after an interrupt: then the thread stays interrupted; null: nothing
     */
    static <T> T elsewhere(Supplier<T> blocking, Runnable wake, Predicate<T> mustNotBeLost)
            throws InterruptedException {
        CompletableFuture<T> result = new OrderedFuture<>();
        Callbacks.complete(() -> {
            try {
                result.complete(blocking.get());
            } catch (Throwable thrown) {
                result.completeExceptionally(thrown);
            }
        });
        try {
            return result.get();
        } catch (ExecutionException failed) {
            throw unchecked(failed);
        } catch (InterruptedException interrupted) {
            wake.run();
            T late = mustNotBeLost == null ? null : stop(result, wake);
            if (late == null || !mustNotBeLost.test(late)) {
                throw interrupted;
            }
            Thread.currentThread().interrupt();
            return late;
        }
    }

    // Not at once only: another thread may have taken the first wake.
    private static <T> T stop(CompletableFuture<T> result, Runnable wake) {
        while (true) {
            try {
                return result.get(1, TimeUnit.MILLISECONDS);
            } catch (TimeoutException | InterruptedException again) {
                wake.run(); // it is being stopped, whatever interrupts this thread
            } catch (ExecutionException failed) {
                return null;
            }
        }
    }

    /** Runs a call that waits for a given time, in nanoseconds, again and again until it does not return TIMEOUT. */
    private static boolean inSlices(long nanos, LongToIntFunction wait) throws InterruptedException {
        AtomicBoolean stopped = new AtomicBoolean();
        long begun = System.nanoTime();
        Supplier<Boolean> slices = () -> {
            for (long left = nanos; left > 0 && !stopped.get(); left = nanos - (System.nanoTime() - begun)) {
                int status = wait.applyAsInt(Math.min(left, SLICE_NANOS));
                if (status != Status.TIMEOUT.code()) {
                    Failure.check(status);
                    return true;
                }
            }
            return false;
        };
        return elsewhere(slices, () -> stopped.set(true), null);
    }

    private static RuntimeException unchecked(ExecutionException failed) {
        return failed.getCause() instanceof RuntimeException cause ? cause : new IllegalStateException(failed.getCause());
    }
}
