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
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongToIntFunction;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;

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
        Recorder.Span span = Recorder.wait(method, handle);
        try {
            return wait.run();
        } finally {
            Recorder.done(span);
        }
    }

    /** Waits in native code until the call returns, as an event of the flight recorder. */
    static void blocking(String method, long handle, LongToIntFunction call, Object used) {
        Recorder.Span wait = Recorder.wait(method, handle);
        int status = call.applyAsInt(handle);
        Recorder.done(wait);
        Failure.check(status, used);
    }

    /** Some work, of which a number of parts has to be done. */
    private static final class Parts {
        private final CountDownLatch missing;
        private final AtomicInteger first = new AtomicInteger(-1);
        private final AtomicReference<GpuStreamException> failure = new AtomicReference<>();

        Parts(int needed) {
            missing = new CountDownLatch(needed);
        }

        final class Part extends Completions.Entry {
            private final int index;

            Part(int index) {
                this.index = index;
            }

            @Override
            protected void done(int status, int nativeCode) {
                if (status != 0) {
                    failure.compareAndSet(null, Failure.ofWork(status, nativeCode));
                    while (missing.getCount() > 0) {
                        missing.countDown();
                    }
                }
                first.compareAndSet(-1, index);
                missing.countDown();
            }
        }
    }

    /**
     * Adds entries and waits until as many of them are done as are needed. What is left is cancelled.
     *
     * @return index of the first one that was done; -1: the time was over
     */
    static int await(List<ToIntFunction<Completions.Entry>> adders, int needed, long nanos)
            throws InterruptedException {
        Parts parts = new Parts(needed);
        Completions.Entry[] added = new Completions.Entry[adders.size()];
        try {
            for (int i = 0; i < added.length; i++) {
                Completions.Entry part = parts.new Part(i);
                Failure.check(adders.get(i).applyAsInt(part));
                added[i] = part;
            }
            if (!parts.missing.await(nanos, TimeUnit.NANOSECONDS)) {
                return -1;
            }
        } finally {
            for (Completions.Entry entry : added) {
                if (entry != null) {
                    Completions.cancel(entry);
                }
            }
        }
        GpuStreamException failure = parts.failure.get();
        if (failure != null) {
            throw failure;
        }
        return parts.first.get();
    }

    /** The same for one entry, if the work is not done by now: whether it is done in time. {@code ask} waits that long. */
    static boolean await(
            String method, long handle, Duration limit, LongToIntFunction ask, ToIntFunction<Completions.Entry> adder)
            throws InterruptedException {
        return asked(method, handle, limit, ask, nanos -> await(List.of(adder), 1, nanos) >= 0);
    }

    /** The same for work that only {@code wait} can wait for, which is given nanoseconds and returns a status. */
    static boolean inSlices(String method, long handle, Duration limit, LongToIntFunction wait)
            throws InterruptedException {
        return asked(method, handle, limit, wait, nanos -> inSlices(nanos, wait));
    }

    private interface Waiter {
        boolean await(long nanos) throws InterruptedException;
    }

    private static boolean asked(String method, long handle, Duration limit, LongToIntFunction ask, Waiter waiter)
            throws InterruptedException {
        long nanos = nanos(limit);
        throwIfInterrupted();
        int status = ask.applyAsInt(0);
        if (status != Status.TIMEOUT.code()) {
            Failure.check(status);
            return true;
        }
        return nanos != 0 && recorded(method, handle, () -> waiter.await(nanos));
    }

    /** The index of an event that is complete, where {@code all} are if they must be; -1: the time was over. */
    static int events(List<Handle> events, boolean all, Duration limit) throws InterruptedException {
        long nanos = nanos(limit);
        throwIfInterrupted();
        int count = events.size();
        ByteBuffer numbers = ByteBuffer.allocateDirect(8 * Math.max(1, count)).order(ByteOrder.nativeOrder());
        events.forEach(event -> numbers.putLong(event.use()));
        long address = Native.BRIDGE.addressOf(numbers);
        Scratch scratch = Scratch.get();
        int status = all
                ? Native.CALLS.eventSynchronizeAll(address, count, 0)
                : Native.CALLS.eventSynchronizeAny(address, count, 0, scratch.address);
        int found = all ? 0 : (int) scratch.getLong();
        if (status == Status.TIMEOUT.code()) {
            found = nanos == 0
                    ? -1
                    : recorded(
                            all ? "Event.synchronizeAll" : "Event.synchronizeAny",
                            0,
                            () -> await(addersOf(events), all ? count : 1, nanos));
        } else {
            Failure.check(status);
        }
        Reference.reachabilityFence(numbers);
        return found;
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
     * @param mustNotBeLost of what it returned after an interrupt: then the thread stays interrupted
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
            return get(result);
        } catch (InterruptedException interrupted) {
            T late = stop(result, wake);
            if (late == null || !mustNotBeLost.test(late)) {
                throw interrupted;
            }
            Thread.currentThread().interrupt();
            return late;
        }
    }

    /** Runs a call that waits for a given time, in nanoseconds, again and again until it does not return TIMEOUT. */
    private static boolean inSlices(long nanos, LongToIntFunction wait) throws InterruptedException {
        AtomicBoolean stopped = new AtomicBoolean();
        long begun = System.nanoTime();
        CompletableFuture<Boolean> done = new OrderedFuture<>();
        Callbacks.complete(() -> {
            try {
                int status = Status.TIMEOUT.code();
                long left = nanos;
                while (status == Status.TIMEOUT.code() && left > 0 && !stopped.get()) {
                    status = wait.applyAsInt(Math.min(left, SLICE_NANOS));
                    left = nanos - (System.nanoTime() - begun);
                }
                if (status != Status.TIMEOUT.code()) {
                    Failure.check(status);
                }
                done.complete(status != Status.TIMEOUT.code());
            } catch (Throwable thrown) {
                done.completeExceptionally(thrown);
            }
        });
        try {
            return get(done);
        } finally {
            stopped.set(true);
        }
    }

    // Not at once only: another thread may have taken the first wake.
    private static <T> T stop(CompletableFuture<T> result, Runnable wake) {
        while (true) {
            wake.run();
            try {
                result.get(1, TimeUnit.MILLISECONDS);
                return get(result);
            } catch (TimeoutException notYet) {
                // Once more.
            } catch (InterruptedException again) {
                // It is being stopped.
            } catch (ExecutionException failed) {
                return null;
            }
        }
    }

    private static <T> T get(CompletableFuture<T> result) throws InterruptedException {
        try {
            return result.get();
        } catch (ExecutionException failed) {
            if (failed.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw new IllegalStateException(failed.getCause());
        }
    }
}
