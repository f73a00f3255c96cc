// SPDX-License-Identifier: Apache-2.0
package io.gpustream.internal;

import java.nio.ByteBuffer;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The queue through which these classes learn that work is done, and the daemon thread "gpustream-queue" that takes its
 * entries. It only passes them on, since all later entries wait for it.
 */
public final class Completions implements Runnable {
    private static final int MOST_ENTRIES = 128;
    private static final long RETRY_NANOS = 10_000_000;
    private static final int TOKEN = Layouts.COMPLETION.fields().get("token").offset();
    private static final int STATUS = Layouts.COMPLETION.fields().get("status").offset();
    private static final int NATIVE_CODE = Layouts.COMPLETION.fields().get("native_code").offset();

    /** Work that a future or a thread waits for. */
    public abstract static class Entry {
        private long token;

        /**
         * The work is done. Called at most once, on the thread that takes entries: it must not wait. Not called after a
         * cancellation.
         *
         * @param status a gs_status_t; SHUTDOWN if the virtual machine ends first
         */
        protected abstract void done(int status, int nativeCode);
    }

    /** Null until one could be started. */
    private static volatile Completions started;

    /** An entry that could not be done for lack of a thread. */
    private record Late(Entry entry, int status, int nativeCode) {}

    private final ConcurrentLinkedQueue<Late> late = new ConcurrentLinkedQueue<>();
    private final ConcurrentHashMap<Long, Entry> pending = new ConcurrentHashMap<>();
    private final AtomicLong tokens = new AtomicLong();
    private final long queue;
    private volatile boolean ended;

    private Completions() {
        Scratch scratch = Scratch.get();
        int status = Native.CALLS.queueCreate(Integer.MAX_VALUE, 0, scratch.address);
        if (status != Constants.OK) {
            throw new OutOfMemoryError("no queue for gpustream: " + ErrorRecord.last(status).text());
        }
        queue = scratch.getLong();
        Thread thread = new Thread(null, this, "gpustream-queue", 0, false);
        thread.setDaemon(true);
        thread.setContextClassLoader(null); // the creating thread's must not be kept
        try {
            thread.start();
        } catch (Throwable noThread) {
            Native.CALLS.queueDestroy(queue);
            throw noThread;
        }
        Callbacks.atEnd(this::end);
    }

    /** Starts it at the first use. A failure is not remembered: the next use tries again. */
    static Completions engine() {
        Completions known = started;
        return known != null ? known : start();
    }

    private static synchronized Completions start() {
        if (started == null) {
            started = new Completions();
        }
        return started;
    }

    /** Adds the work submitted to a stream so far. Returns a gs_status_t; with OK the entry will be done, once. */
    public static int addStream(long stream, Entry entry) {
        Completions engine = engine();
        return engine.add(entry, token -> Native.CALLS.queueAddStream(engine.queue, stream, token));
    }

    /** Adds an event's present record. */
    public static int addEvent(long event, Entry entry) {
        Completions engine = engine();
        return engine.add(entry, token -> Native.CALLS.queueAddEvent(engine.queue, event, token));
    }

    /** Forgets an entry that is not waited for any more, and may be done already. */
    public static void cancel(Entry entry) {
        Completions engine = started;
        if (engine != null && engine.pending.remove(entry.token, entry)) {
            Native.CALLS.queueCancel(engine.queue, entry.token, Scratch.get().address);
        }
    }

    /** {@return how many entries are pending} */
    public static int pending() {
        Completions engine = started;
        return engine == null ? 0 : engine.pending.size();
    }

    private interface Adder {
        int add(long token);
    }

    private int add(Entry entry, Adder adder) {
        entry.token = tokens.incrementAndGet();
        pending.put(entry.token, entry);
        // An entry that the end has found is done; one that it has not is refused.
        int status = ended ? Constants.ERROR_SHUTDOWN : adder.add(entry.token);
        if (status == Constants.OK && ended) {
            status = Constants.ERROR_SHUTDOWN;
        }
        return status == Constants.OK || pending.remove(entry.token, entry) ? status : Constants.OK;
    }

    @Override
    public void run() {
        ByteBuffer memory = Scratch.direct(8 + MOST_ENTRIES * Layouts.COMPLETION.size());
        long count = Native.BRIDGE.addressOf(memory);
        while (true) {
            long limit = late.isEmpty() ? -1 : RETRY_NANOS;
            int status = Native.CALLS.queueWait(queue, count + 8, MOST_ENTRIES, limit, count);
            if (status == Constants.ERROR_INVALID_HANDLE) {
                return; // the virtual machine ends
            }
            if (status != Constants.OK && status != Constants.ERROR_TIMEOUT) {
                Callbacks.report("waiting for work", new IllegalStateException(ErrorRecord.last(status).text()));
                pause();
                continue;
            }
            retry();
            int taken = (int) memory.getLong(0);
            for (int i = 0; i < taken; i++) {
                int at = 8 + i * Layouts.COMPLETION.size();
                deliver(memory.getLong(at + TOKEN), memory.getInt(at + STATUS), memory.getInt(at + NATIVE_CODE));
            }
        }
    }

    /** As many as there are threads for now. */
    private void retry() {
        for (Late first = late.peek(); first != null; first = late.peek()) {
            try {
                first.entry.done(first.status, first.nativeCode);
            } catch (OutOfMemoryError again) {
                return;
            } catch (Throwable thrown) {
                Callbacks.report("a completion of gpustream failed", thrown);
            }
            late.remove();
        }
    }

    // After a failure that may pass, such as of memory.
    private static void pause() {
        try {
            Thread.sleep(10);
        } catch (InterruptedException ignored) {
            // A daemon has nothing to stop for.
        }
    }

    private void deliver(long token, int status, int nativeCode) {
        Entry entry = pending.remove(token);
        if (entry != null) { // else it was cancelled
            done(entry, status, nativeCode);
        }
    }

    /**
     * Logs what the entry throws, so that others are done as well. Where a thread for what depends on it, or memory,
     * was missing, the thread that takes entries tries again.
     */
    static void done(Entry entry, int status, int nativeCode) {
        try {
            entry.done(status, nativeCode);
        } catch (Throwable thrown) {
            Callbacks.report("a completion of gpustream failed", thrown);
            if (thrown instanceof OutOfMemoryError) {
                started.late.add(new Late(entry, status, nativeCode));
                Native.CALLS.queueWake(started.queue);
            }
        }
    }

    /** The virtual machine ends: the thread leaves native code, and what is pending gets SHUTDOWN. */
    private void end() {
        ended = true;
        Native.CALLS.queueDestroy(queue);
        for (Long token : pending.keySet()) {
            deliver(token, Constants.ERROR_SHUTDOWN, 0);
        }
    }
}
