// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import io.gpustream.internal.Native;
import io.gpustream.internal.Scratch;
import io.gpustream.internal.jfr.Recorder;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A range that any thread may end, also a virtual one: of a request, a future, a task. Ranges of one thread that are
 * nested are {@link Range}s. A started range that is not closed stays open until the process ends.
 *
 * <p>Where the module {@code jdk.jfr} is present, it is an event {@code io.gpustream.Range} of the thread that ends it. Any
 * thread may call any method; none waits for device work.
 */
public final class StartedRange implements AutoCloseable {
    private final long number;
    private final Runnable span;
    private final AtomicBoolean ended = new AtomicBoolean();

    private StartedRange(long number, Runnable span) {
        this.number = number;
        this.span = span;
    }

    /**
     * Starts a range.
     *
     * @param name any text; logs and traces keep the first 63 bytes
     * @return the range
     * @throws GpuStreamException FULL (1024 of the process are open)
     * @throws IllegalArgumentException if the name contains a NUL
     */
    public static StartedRange start(String name) {
        Scratch scratch = Scratch.get();
        Call.withText(name, "name", text -> Native.CALLS.rangeStart(text, scratch.address), null);
        return new StartedRange(scratch.getLong(), Recorder.range(name));
    }

    /** {@return whether it has not ended} */
    public boolean isOpen() {
        return !ended.get();
    }

    /** Ends the range. Later calls do nothing. */
    @Override
    public void close() {
        if (ended.compareAndSet(false, true)) {
            Recorder.done(span);
            Failure.check(Native.CALLS.rangeEnd(number));
        }
    }
}
