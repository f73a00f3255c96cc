// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.ref.WeakReference;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The watches that one thread made. They have to be reachable themselves, or the collector would not report their
 * owners. Only that thread adds and reuses places, so neither takes a lock. Another thread that ends a watch empties
 * its place by comparing and swapping; if it misses, because the list grew just then, an ended watch stays until the
 * thread looks for places the next time, which is harmless.
 */
final class WatchList extends WeakReference<Thread> {
    private static final int FIRST_SIZE = 8;
    private static final VarHandle PLACE = MethodHandles.arrayElementVarHandle(Watch[].class);

    /** What keeps the lists reachable: by thread id, or by a number below 0 if somebody else has that one. */
    private static final ConcurrentHashMap<Long, WatchList> ALL = new ConcurrentHashMap<>();

    private static final AtomicLong SPARE_KEY = new AtomicLong();
    private static final ThreadLocal<WatchList> OF_THREAD = ThreadLocal.withInitial(WatchList::find);

    private long key;
    private Watch[] places = new Watch[FIRST_SIZE];
    private int[] free = new int[FIRST_SIZE]; // the thread's own stack of places known to be free
    private int freeCount;

    private WatchList(Thread thread) {
        super(thread, Reaper.QUEUE);
        free(0);
    }

    static WatchList ofThread() {
        return OF_THREAD.get();
    }

    /** How many there are, also of threads that have just ended. */
    static int count() {
        return ALL.size();
    }

    // Pools may clear the thread locals of their threads between two tasks, so there may be one already.
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
    void add(Watch watch) {
        if (freeCount == 0) {
            findFree();
        }
        int index = free[--freeCount];
        watch.index = index;
        places[index] = watch;
    }

    /** Once for each watch, after it has ended, on any thread. */
    void remove(Watch watch) {
        int index = watch.index;
        if (refersTo(Thread.currentThread())) {
            places[index] = null;
            free[freeCount++] = index;
        } else {
            Watch[] now = places;
            if (index < now.length) {
                PLACE.compareAndSet(now, index, watch, null);
            }
        }
    }

    private void findFree() {
        for (int i = places.length - 1; i >= 0; i--) {
            if (places[i] == null || !places[i].isOpen()) {
                places[i] = null;
                free[freeCount++] = i;
            }
        }
        // Often enough that looking for places costs a bounded share of each creation.
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

    /** The thread has ended: the reaper keeps what is open. On its thread. */
    void handOver(Set<Watch> orphans) {
        for (Watch watch : places) {
            if (watch != null && watch.isOpen()) {
                orphans.add(watch);
            }
        }
        places = new Watch[0];
        ALL.remove(key, this);
    }
}
