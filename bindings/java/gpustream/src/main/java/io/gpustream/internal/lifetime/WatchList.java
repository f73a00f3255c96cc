// SPDX-License-Identifier: Apache-2.0
package io.gpustream.internal.lifetime;

import io.gpustream.internal.Scratch;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.ref.PhantomReference;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The watches that one thread made. The list keeps them reachable: the collector reports no owner of a watch that is
 * itself unreachable. Only the list's thread adds watches. A place belongs to one watch only, so any thread may empty
 * it by a plain store when the watch has ended.
 *
 * <p>Places lie in small blocks that are replaced when they are full. In one array, which grows old, each store of a new
 * object would cost a memory barrier under G1; a block is as new as the watches in it.
 */
public final class WatchList extends WeakReference<Thread> implements Reaper.Reapable {
    private static final int FIRST_SIZE = 8;
    private static final int LARGEST_SIZE = 64;
    private static final int FEWEST_BLOCKS = 8;

    /** Keeps the lists reachable: by thread id, or by a negative number if another list has that id. */
    private static final ConcurrentHashMap<Long, WatchList> ALL = new ConcurrentHashMap<>();

    private static final AtomicLong SPARE_KEY = new AtomicLong();

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

        // Written by the list's thread. Another thread may see one of two changes, which leavePlace allows for.
        private Entry[] block;
        private int index;
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

        /** Once, after it has ended, on any thread. If it is just being moved, it stays until the next move. */
        final void leavePlace() {
            Entry[] at = block;
            int place = index;
            if (place < at.length && at[place] == this) {
                at[place] = null;
            }
        }

        private void takePlace(Entry[] at, int place) {
            block = at;
            index = place;
            at[place] = this;
        }
    }

    private long key;
    private Entry[] block = new Entry[FIRST_SIZE]; // new watches go here
    private int used;
    private final List<Entry[]> full = new ArrayList<>(); // blocks that had an open watch when they were left
    private int blocksAllowed = FEWEST_BLOCKS;

    private WatchList(Thread thread) {
        super(thread, Reaper.QUEUE);
        Reaper.start();
    }

    /** {@return the calling thread's list} */
    public static WatchList ofThread() {
        return of(Scratch.get());
    }

    /** The same, for a caller that has the thread's scratch memory at hand. */
    static WatchList of(Scratch scratch) {
        WatchList known = (WatchList) scratch.watches;
        if (known == null) {
            known = find();
            scratch.watches = known;
        }
        return known;
    }

    /** {@return the number of lists, including those of threads that have just ended} */
    public static int count() {
        return ALL.size();
    }

    // The list may exist already: thread pools may clear the thread locals of their threads between two tasks, and
    // code that the library calls has scratch memory of its own.
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
        if (used == block.length) {
            nextBlock();
        }
        watch.takePlace(block, used++);
    }

    /** {@return the number of places that the list holds, used or not. On the list's thread} */
    public int places() {
        return block.length + full.stream().mapToInt(one -> one.length).sum();
    }

    private void nextBlock() {
        Reaper.start(); // if it could not be before
        if (anyOpen(block)) {
            full.add(block);
            if (full.size() >= blocksAllowed) {
                pack();
            }
        }
        block = new Entry[Math.min(2 * block.length, LARGEST_SIZE)];
        used = 0;
    }

    // Seldom enough that each creation pays a bounded share: the blocks have doubled since the last time.
    private void pack() {
        Entry[] open = full.stream().flatMap(Arrays::stream).filter(WatchList::isOpen).toArray(Entry[]::new);
        full.clear();
        for (int from = 0; from < open.length; from += LARGEST_SIZE) {
            Entry[] dense = new Entry[Math.min(LARGEST_SIZE, open.length - from)];
            for (int i = 0; i < dense.length; i++) {
                open[from + i].takePlace(dense, i);
            }
            full.add(dense);
        }
        blocksAllowed = Math.max(FEWEST_BLOCKS, 2 * full.size());
    }

    private static boolean anyOpen(Entry[] block) {
        for (Entry watch : block) { // allocates nothing, unlike a java.util.stream
            if (isOpen(watch)) {
                return true;
            }
        }
        return false;
    }

    private static boolean isOpen(Entry watch) {
        return watch != null && watch.isOpen();
    }

    /** Forgets a watch whose thread has ended. On the reaper's thread. */
    static void removeOrphan(Entry watch) {
        ORPHANS.remove(watch);
    }

    /** The thread has ended: what is still open is kept as an orphan until its owner is unreachable too. */
    @Override
    public void reap() {
        full.add(block);
        full.stream().flatMap(Arrays::stream).filter(WatchList::isOpen).forEach(ORPHANS::add);
        full.clear();
        block = new Entry[0];
        ALL.remove(key, this);
    }
}
