// SPDX-License-Identifier: Apache-2.0
package io.gpustream.internal.lifetime;

import io.gpustream.internal.ErrorRecord;
import io.gpustream.internal.Native;
import io.gpustream.internal.Scratch;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongToIntFunction;

/**
 * The library's handle of an object and, if it is owned, one reference, which is given back once. Another
 * thread may still be in a call with the number then; the library answers such a call with INVALID_HANDLE, even if the
 * object behind the number has been reused.
 */
public final class Handle extends Watch {
    private static final System.Logger LOG = System.getLogger("io.gpustream");

    /** The kind of object behind the number. */
    public enum Kind {
        STREAM("the stream", n -> Native.CALLS.streamDestroy(n), n -> Native.CALLS.streamRetain(n)),
        EVENT("the event", n -> Native.CALLS.eventDestroy(n), n -> Native.CALLS.eventRetain(n)),
        GRAPH("the graph", n -> Native.CALLS.graphDestroy(n), n -> Native.CALLS.graphRetain(n)),
        EXECUTABLE("the executable", n -> Native.CALLS.graphExecDestroy(n), n -> Native.CALLS.graphExecRetain(n)),
        QUEUE("the queue", n -> Native.CALLS.queueDestroy(n), n -> Native.CALLS.queueRetain(n)),
        TIMELINE("the timeline", n -> Native.CALLS.timelineDestroy(n), n -> Native.CALLS.timelineRetain(n)),
        /** Has no references: its one owner ends it. */
        PARTITION("the partition", n -> Native.CALLS.partitionDestroy(n), n -> {
            throw new UnsupportedOperationException("a partition has one owner");
        });

        private final String text;
        private final LongToIntFunction destroy;
        private final LongToIntFunction retain;

        Kind(String text, LongToIntFunction destroy, LongToIntFunction retain) {
            this.text = text;
            this.destroy = destroy;
            this.retain = retain;
        }

        /** Adds a reference. Returns a gs_status_t. */
        public int retain(long number) {
            return retain.applyAsInt(number);
        }
    }

    /** The number, also after close. */
    public final long number;

    private final Kind kind;
    private List<Object> kept;

    private Handle(Kind kind, long number, Object owner, Scratch scratch) {
        super(owner, scratch);
        this.kind = kind;
        this.number = number;
    }

    /** Owns one reference, which is given back at the latest when {@code owner} is unreachable. */
    public static Handle owned(Kind kind, long number, Object owner) {
        return owned(kind, number, owner, Scratch.get());
    }

    /** The same, for a caller that has the calling thread's scratch memory at hand. */
    public static Handle owned(Kind kind, long number, Object owner, Scratch scratch) {
        return new Handle(kind, number, owner, scratch);
    }

    /** Owns no reference: closing leaves the object alone. */
    public static Handle borrowed(Kind kind, long number) {
        return new Handle(kind, number, null, null);
    }

    /**
     * The number for a call. The caller keeps the owner reachable until the call has returned.
     *
     * @throws IllegalStateException if the handle is closed
     */
    public long use() {
        if (!isOpen()) {
            throw new IllegalStateException(kind.text + " is closed");
        }
        return number;
    }

    /** Releases the reference. Later calls do nothing. Never throws. */
    public void close() {
        if (end()) {
            giveBack(kind, number);
        }
    }

    @Override
    void forgotten() {
        giveBack(kind, number);
    }

    /** Releases one reference; a failure is logged. */
    public static void giveBack(Kind kind, long number) {
        int status = kind.destroy.applyAsInt(number);
        if (status != 0) {
            // Another owner released our reference. The reaper has no caller to report that to, so close() logs it too.
            LOG.log(System.Logger.Level.WARNING, "closing: {0}", ErrorRecord.last(status).text());
        }
    }

    /** Keeps an object reachable for as long as this handle is. */
    public synchronized void keep(Object what) {
        if (kept == null) {
            kept = new ArrayList<>();
        }
        kept.add(what);
    }
}
