// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.ref.Cleaner;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongToIntFunction;

/**
 * A reference of ours to an object of the library, given back once: by close or, if that is forgotten, by the cleaner
 * when its owner is unreachable. Another thread may still be in a call with the number then; the library answers such a
 * call with INVALID_HANDLE, whatever became of the number.
 */
final class Handle implements Runnable {
    private static final Cleaner CLEANER = Cleaner.create();
    private static final System.Logger LOG = System.getLogger("io.gpustream");
    private static final VarHandle VALUE;

    static {
        try {
            VALUE = MethodHandles.lookup().findVarHandle(Handle.class, "value", long.class);
        } catch (ReflectiveOperationException impossible) {
            throw new ExceptionInInitializerError(impossible);
        }
    }

    /** The number, also after the end. */
    final long number;

    private final String kind;
    private final LongToIntFunction destroy; // null for what is borrowed
    private volatile long value;
    private Cleaner.Cleanable cleanable;
    private List<Object> kept;

    private Handle(String kind, long number, LongToIntFunction destroy) {
        this.kind = kind;
        this.number = number;
        this.destroy = destroy;
        value = number;
    }

    /** Owns one reference. The cleaner gives it back when {@code owner} is unreachable. */
    static Handle owned(String kind, long number, LongToIntFunction destroy, Object owner) {
        Handle handle = new Handle(kind, number, destroy);
        handle.cleanable = CLEANER.register(owner, handle);
        return handle;
    }

    /** Owns nothing: closing it does nothing. */
    static Handle borrowed(String kind, long number) {
        return new Handle(kind, number, null);
    }

    /**
     * The number for a call. The caller keeps the owner reachable until the call has returned.
     *
     * @throws IllegalStateException if it is closed
     */
    long get() {
        long now = value;
        if (now == 0) {
            throw new IllegalStateException(kind + " is closed");
        }
        return now;
    }

    boolean isOpen() {
        return value != 0;
    }

    boolean isOwned() {
        return destroy != null;
    }

    /** Any number of times, on any thread: the first one counts. */
    void close() {
        if (cleanable != null) {
            cleanable.clean();
        }
    }

    /** For the cleaner, which runs it at most once. */
    @Override
    public void run() {
        long last = (long) VALUE.getAndSet(this, 0L);
        int status = destroy.applyAsInt(last);
        if (status != 0) {
            // Somebody else gave our reference back. There is no caller to tell in the cleaner, so close() does the
            // same.
            LOG.log(System.Logger.Level.WARNING, "closing: {0}", Failure.of(status).getMessage());
        }
    }

    /** Keeps something reachable for as long as this handle is. */
    synchronized void keep(Object what) {
        if (kept == null) {
            kept = new ArrayList<>();
        }
        kept.add(what);
    }
}
