// SPDX-License-Identifier: Apache-2.0
package io.gpustream.internal.lifetime;

import io.gpustream.internal.ErrorRecord;
import io.gpustream.internal.Layouts;
import io.gpustream.internal.Native;
import io.gpustream.internal.Scratch;

/**
 * A capture that has begun, with a reference to its stream. It is ended once: by the graph's coming out of it, or else
 * by aborting it, at the latest when its owner is unreachable.
 */
public final class CaptureWatch extends Watch {
    private static final System.Logger LOG = System.getLogger("io.gpustream");

    /** The stream that began it. */
    public final long stream;

    private final long id;

    /**
     * Takes over a reference of the stream. {@code id} is the capture's, which no later one has.
     */
    public CaptureWatch(long stream, long id, Object owner, Scratch scratch) {
        super(owner, scratch);
        this.stream = stream;
        this.id = id;
    }

    /** {@return the stream's number}; throws IllegalStateException if the capture is over */
    public long use() {
        if (!isOpen()) {
            throw new IllegalStateException("the capture is over");
        }
        return stream;
    }

    /** The capture has ended. */
    public void finish() {
        if (end()) {
            Handle.giveBack(Handle.Kind.STREAM, stream);
        }
    }

    /** Aborts it unless it is over. Never throws. */
    public void abort() {
        if (end()) {
            forgotten();
        }
    }

    /** {@return whether the driver has ended it, as it does where an end fails because the capture is broken} */
    public boolean isOver() {
        Scratch scratch = Scratch.get();
        return Native.CALLS.streamCaptureInfo(stream, Layouts.CAPTURE_INFO.prepare(scratch)) != 0
                || Layouts.CAPTURE_INFO.getInt(scratch, "state") == 0
                || Layouts.CAPTURE_INFO.getLong(scratch, "id") != id;
    }

    @Override
    void forgotten() {
        if (!isOver()) {
            int status = Native.CALLS.streamAbortCapture(stream);
            if (status != 0) {
                LOG.log(System.Logger.Level.WARNING, "aborting a capture: {0}", ErrorRecord.last(status).text());
            }
        }
        Handle.giveBack(Handle.Kind.STREAM, stream);
    }
}
