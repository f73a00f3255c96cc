// SPDX-License-Identifier: Apache-2.0
package io.gpustream.internal.lifetime;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.ref.PhantomReference;
import java.lang.ref.WeakReference;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The watches that one thread made. The list keeps them reachable: the collector reports no owner of a watch that is
 * itself unreachable. Only the list's thread adds watches and reuses places, so neither takes a lock. Another thread
 * that ends a watch clears its place by compare-and-swap. That misses if the list is being enlarged at that moment; the
 * ended watch then stays until the list's thread next looks for free places, and keeps nothing but itself.
 */
public final class WatchList extends WeakReference<Thread> implements Reaper.Reapable {
    private static final int FIRST_SIZE = 8;
    private static final VarHandle PLACE = MethodHandles.arrayElementVarHandle(Entry[].class);

    /** Keeps the lists reachable: by thread id, or by a negative number if another list has that id. */
    private static final ConcurrentHashMap<Long, WatchList> ALL = new ConcurrentHashMap<>();

    private static final AtomicLong SPARE_KEY = new AtomicLong();
    private static final ThreadLocal<WatchList> OF_THREAD = ThreadLocal.withInitial(WatchList::find);

    /** Open watches of threads that have ended. The reaper's thread only; references are equal by identity. */
    private static final Set<Entry> ORPHANS = new HashSet<>();

    /** What a list knows of a watch: its place, and whether it has ended. */
    abstract static class Entry extends PhantomReference<Object> implements Reaper.Reapable {
        private static final VarHandle ENDED;

        static {
            try {
                ENDED = MethodHandles.lookup().findVarHandle(Entry.class, "ended", boolean.class);
            } catch (ReflectiveOperationException impossible) {
                throw new ExceptionInInitializerError(impossible);
            }
        }

        private int index; // its place, written and relied on by the list's thread
        private volatile boolean ended;

        Entry(Object owner) {
            super(owner, owner == null ? null : Reaper.QUEUE);
        }

        /** {@return whether it has not ended} */
        public final boolean isOpen() {
            return !ended;
        }

        /** {@return true for the first caller, on any thread} */
        final boolean setEnded() {
            // The plain read spares closed objects the atomic operation.
            return !ended && !(boolean) ENDED.getAndSet(this, true);
        }
    }

    private long key;
    private Entry[] places = new Entry[FIRST_SIZE];
    private int[] free = new int[FIRST_SIZE]; // stack of places known to be free
    private int freeCount;

    private WatchList(Thread thread) {
        super(thread, Reaper.QUEUE);
        free(0);
    }

    /** {@return the calling thread's list} */
    public static WatchList ofThread() {
        return OF_THREAD.get();
    }

    /** {@return the number of lists, including those of threads that have just ended} */
    public static int count() {
        return ALL.size();
    }

    // Thread pools may clear the thread locals of their threads between two tasks: the list may exist already.
    private static WatchList find() {
        Thread thread = Thread.currentThread();
        WatchList known = ALL.get(thread.getId());
        if (known != null && known.refersTo(thread)) {
            return known;
        }
        WatchList list = new WatchList(thread);
        list.key = thread.getId();
        while (ALL.putIfAbsent(list.key, list) != null) {
            list.key = SPARE_KEY.decrementAndGet();
        }
        return list;
    }

    /** On the list's thread only. */
    void add(Entry watch) {
        if (freeCount == 0) {
            findFree();
        }
        int index = free[--freeCount];
        watch.index = index;
        places[index] = watch;
    }

    /** Once for each watch, after it has ended, on any thread. */
    void remove(Entry watch) {
        int index = watch.index;
        if (refersTo(Thread.currentThread())) {
            places[index] = null;
            free[freeCount++] = index;
        } else {
            Entry[] now = places;
            if (index < now.length) {
                PLACE.compareAndSet(now, index, watch, null);
            }
        }
    }

    /** Forgets a watch whose thread has ended. On the reaper's thread. */
    static void removeOrphan(Entry watch) {
        ORPHANS.remove(watch);
    }

    private void findFree() {
        for (int i = places.length - 1; i >= 0; i--) {
            if (places[i] == null || !places[i].isOpen()) {
                places[i] = null;
                free[freeCount++] = i;
            }
        }
        // Enlarged early enough that looking for places costs a bounded share of each creation.
        if (freeCount <= places.length / 4) {
            int before = places.length;
            free = Arrays.copyOf(free, 2 * before);
            places = Arrays.copyOf(places, 2 * before);
            free(before);
        }
    }

    private void free(int from) {
        for (int i = places.length - 1; i >= from; i--) {
            free[freeCount++] = i;
        }
    }

    /** The thread has ended: what is still open is kept as an orphan until its owner is unreachable too. */
    @Override
    public void reap() {
        for (Entry watch : places) {
            if (watch != null && watch.isOpen()) {
                ORPHANS.add(watch);
            }
        }
        places = new Entry[0];
        ALL.remove(key, this);
    }
}
