// SPDX-License-Identifier: Apache-2.0
package io.gpustream.internal;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The values of one timeline that futures wait for. The library's queues know streams and events only. A stream that
 * waits for the value could be added to one, but may hold up another stream that shares its hardware queue, maybe the one
 * that signals. So a daemon thread waits, for the smallest value of each timeline.
 */
public final class TimelineValues {
    /** How long a thread may go on waiting for a value that no future waits for any more. */
    private static final long SLICE_NANOS = 50_000_000;

    /** All that have futures. Guarded by the class, as is everything below. */
    private static final Map<Long, TimelineValues> TIMELINES = new HashMap<>();

    private static boolean started;
    private static boolean ended;

    private record Waiting(Completions.Entry entry, Object keep) {}

    private final long timeline;
    private final TreeMap<Long, List<Waiting>> pending = new TreeMap<>();
    /** The smallest value that a thread waits for; other threads end when their slice is over. */
    private long watched = Long.MAX_VALUE;

    private TimelineValues(long timeline) {
        this.timeline = timeline;
    }

    /**
     * Adds an entry that is done when a timeline has reached a value, also at once, or has ended.
     *
     * @param value below 2^63 - 1
     * @param keep stays reachable until then
     * @return a gs_status_t; with OK the entry will be done, once
     */
    public static int add(long timeline, long value, Completions.Entry entry, Object keep) {
        Scratch scratch = Scratch.get();
        int status = Native.CALLS.timelineValue(timeline, scratch.address);
        if (status != Constants.OK) {
            return status;
        }
        if (scratch.getLong() >= value) {
            entry.done(Constants.OK, 0);
            return Constants.OK;
        }
        Completions.engine(); // it tries again what fails for lack of a thread
        synchronized (TimelineValues.class) {
            if (ended) {
                return Constants.ERROR_SHUTDOWN;
            }
            if (!started) {
                Callbacks.atEnd(TimelineValues::end);
                started = true;
            }
            TIMELINES.computeIfAbsent(timeline, TimelineValues::new).add(value, new Waiting(entry, keep));
        }
        return Constants.OK;
    }

    private void add(long value, Waiting waiting) {
        pending.computeIfAbsent(value, absent -> new ArrayList<>()).add(waiting);
        if (value >= watched) {
            return;
        }
        long before = watched;
        watched = value;
        try {
            Callbacks.complete(() -> watch(value));
        } catch (Throwable noThread) {
            watched = before;
            forget(value, waiting.entry);
            if (before == Long.MAX_VALUE) {
                TIMELINES.remove(timeline);
            }
            throw noThread;
        }
    }

    /** Forgets an entry that is not waited for any more, and may be done already. */
    public static synchronized void cancel(long timeline, long value, Completions.Entry entry) {
        TimelineValues values = TIMELINES.get(timeline);
        if (values != null) {
            values.forget(value, entry);
        }
    }

    /** {@return how many entries are pending} */
    public static synchronized int pending() {
        return TIMELINES.values().stream()
                .flatMap(values -> values.pending.values().stream())
                .mapToInt(List::size)
                .sum();
    }

    private void forget(long value, Completions.Entry entry) {
        pending.computeIfPresent(value, (same, waiting) -> {
            waiting.removeIf(one -> one.entry == entry);
            return waiting.isEmpty() ? null : waiting;
        });
    }

    /** Waits for a value, and then for the next one, until none is left or another thread waits for a smaller one. */
    private void watch(long first) {
        long value = first;
        while (value != Long.MAX_VALUE) {
            int status = await(value);
            int nativeCode = status == Constants.OK || status == Constants.ERROR_TIMEOUT
                    ? 0
                    : ErrorRecord.last(status).nativeCode();
            List<Waiting> over = new ArrayList<>();
            synchronized (TimelineValues.class) {
                if (status != Constants.ERROR_TIMEOUT) {
                    takeTo(status == Constants.OK ? value : Long.MAX_VALUE, over);
                }
                value = next(value);
            }
            over.forEach(waiting -> Completions.done(waiting.entry, status, nativeCode));
        }
    }

    /** As gs_timeline_synchronize, but never forbidden, as it blocks only a thread of the binding. */
    private int await(long value) {
        Scratch scratch = Scratch.get();
        Native.CALLS.getOption(Constants.OPTION_SYNC_DEBUG_MODE, scratch.address);
        Native.CALLS.getOption(Constants.OPTION_SYNC_DEBUG_SCOPE, scratch.at(Long.BYTES));
        boolean told = scratch.getLong(0) != Constants.SYNC_DEBUG_DEFAULT
                && scratch.getLong(Long.BYTES) == Constants.SYNC_SCOPE_ALL;
        int status = told
                ? Constants.ERROR_SYNC_FORBIDDEN
                : Native.CALLS.timelineSynchronize(timeline, value, SLICE_NANOS);
        return status == Constants.ERROR_SYNC_FORBIDDEN ? ask(value) : status;
    }

    private int ask(long value) {
        Scratch scratch = Scratch.get();
        int status = Native.CALLS.timelineValue(timeline, scratch.address);
        if (status != Constants.OK || scratch.getLong() >= value) {
            return status;
        }
        try {
            Thread.sleep(1);
        } catch (InterruptedException ignored) {
            // A daemon has nothing to stop for.
        }
        return Constants.ERROR_TIMEOUT;
    }

    private void takeTo(long value, List<Waiting> out) {
        Map<Long, List<Waiting>> reached = pending.headMap(value, true);
        reached.values().forEach(out::addAll);
        reached.clear();
    }

    /** The value to wait for after that one; Long.MAX_VALUE: the thread ends. */
    private long next(long value) {
        if (watched != value) {
            return Long.MAX_VALUE; // the thread that waits for the smallest value goes on with the others
        }
        if (pending.isEmpty()) {
            TIMELINES.remove(timeline, this);
            watched = Long.MAX_VALUE;
        } else {
            watched = pending.firstKey();
        }
        return watched;
    }

    /** The virtual machine ends: what is pending gets SHUTDOWN. */
    private static void end() {
        List<Waiting> over = new ArrayList<>();
        synchronized (TimelineValues.class) {
            ended = true;
            TIMELINES.values().forEach(values -> values.takeTo(Long.MAX_VALUE, over));
        }
        over.forEach(waiting -> Completions.done(waiting.entry, Constants.ERROR_SHUTDOWN, 0));
    }
}
