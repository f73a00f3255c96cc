// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import io.gpustream.internal.Native;
import java.util.ArrayList;
import java.util.List;

/**
 * The library's number for an object and, if it is owned, a reference of ours to it, given back once. Another thread may
 * still be in a call with the number then; the library answers such a call with INVALID_HANDLE, whatever became of the
 * number.
 */
final class Handle extends Watch {
    private static final System.Logger LOG = System.getLogger("io.gpustream");

    /** What the number names. */
    enum Kind {
        STREAM("the stream") {
            @Override
            int destroy(long number) {
                return Native.STREAMS.streamDestroy(number);
            }
        },
        EVENT("the event") {
            @Override
            int destroy(long number) {
                return Native.EVENTS.eventDestroy(number);
            }
        };

        final String text;

        Kind(String text) {
            this.text = text;
        }

        abstract int destroy(long number);
    }

    /** The number, also after the end. */
    final long number;

    private final Kind kind;
    private List<Object> kept;

    private Handle(Kind kind, long number, Object owner) {
        super(owner);
        this.kind = kind;
        this.number = number;
    }

    /** Owns one reference, which is given back at the latest when {@code owner} is unreachable. */
    static Handle owned(Kind kind, long number, Object owner) {
        return new Handle(kind, number, owner);
    }

    /** Owns nothing: closing it does nothing. */
    static Handle borrowed(Kind kind, long number) {
        return new Handle(kind, number, null);
    }

    /**
     * The number for a call. The caller keeps the owner reachable until the call has returned.
     *
     * @throws IllegalStateException if it is closed
     */
    long use() {
        if (!isOpen()) {
            throw new IllegalStateException(kind.text + " is closed");
        }
        return number;
    }

    /** Any number of times, on any thread: the first one counts. */
    void close() {
        if (end()) {
            giveBack(kind, number);
        }
    }

    @Override
    void forgotten() {
        giveBack(kind, number);
    }

    /** Gives one reference back. */
    static void giveBack(Kind kind, long number) {
        int status = kind.destroy(number);
        if (status != 0) {
            // Somebody else gave our reference back. The reaper has no caller to tell, so close() does the same.
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
