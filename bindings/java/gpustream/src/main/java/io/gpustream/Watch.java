// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.ref.PhantomReference;

/**
 * Something that has to be ended once: by its owner's close or, if that is forgotten, by the {@link Reaper} when the
 * owner is unreachable. It does what a {@link java.lang.ref.Cleaner} does without taking locks, which is most of what
 * creating and closing costs in Java (docs/design/java.md).
 */
abstract class Watch extends PhantomReference<Object> {
    private static final VarHandle ENDED;

    static {
        try {
            ENDED = MethodHandles.lookup().findVarHandle(Watch.class, "ended", boolean.class);
        } catch (ReflectiveOperationException impossible) {
            throw new ExceptionInInitializerError(impossible);
        }
    }

    private final WatchList list; // null: there is nothing to end
    /** Its place in the list, which only the list's own thread relies on. */
    int index;

    private volatile boolean ended;

    /** Watches an owner, which must be reachable until the constructor has returned; null: watches nothing. */
    Watch(Object owner) {
        super(owner, owner == null ? null : Reaper.QUEUE);
        list = owner == null ? null : WatchList.ofThread();
        if (list != null) {
            list.add(this);
        }
    }

    /** Whether there is somebody to watch, so that it can end. */
    final boolean isWatching() {
        return list != null;
    }

    final boolean isOpen() {
        return !ended;
    }

    /** True for the one caller, on whichever thread, that is to do what ending means. */
    final boolean end() {
        // The plain read spares closed objects the atomic operation.
        if (list == null || ended || (boolean) ENDED.getAndSet(this, true)) {
            return false;
        }
        list.remove(this);
        return true;
    }

    /** The owner is unreachable and nobody has ended this. On the reaper's thread, once. */
    abstract void forgotten();
}
