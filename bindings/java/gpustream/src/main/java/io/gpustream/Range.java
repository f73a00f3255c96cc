// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import io.gpustream.internal.Native;
import io.gpustream.internal.Scratch;
import io.gpustream.internal.jfr.Recorder;
import java.util.Objects;

/**
 * A named part of the program on one thread. Logs, traces, recordings of the JDK's flight recorder, and tools of NVTX such
 * as Nsight Systems show the name.
 *
 * <pre>{@code
 * try (var step = Range.push("step")) {
 *     Range.mark("first chunk");
 * }
 * }</pre>
 *
 * <p>Ranges of a thread are nested and belong to it; {@link StartedRange} is one that may end on another thread. Where
 * the module {@code jdk.jfr} is present, a range is an event {@code io.gpustream.Range} and a mark an {@code
 * io.gpustream.Mark}. No method waits for device work.
 */
public final class Range implements AutoCloseable {
    private final Scratch scratch = Scratch.get();
    private final Object outer = scratch.innermostRange;
    private final Runnable span;
    private boolean open = true;

    private Range(Runnable span) {
        this.span = span;
        scratch.innermostRange = this;
    }

    /**
     * Begins a range on the calling thread, inside those that are open.
     *
     * @param name any text; logs and traces keep the first 63 bytes
     * @return the range, to be closed by this thread
     * @throws GpuStreamException FULL (256 are open), NOT_PERMITTED on a virtual thread, whose carrier others share
     * @throws IllegalArgumentException if the name contains a NUL
     */
    public static Range push(String name) {
        Objects.requireNonNull(name, "name");
        Failure.requirePlatformThread("Range.push");
        Call.withText(name, "name", text -> Native.CALLS.rangePush(text), null);
        return new Range(Recorder.range(name));
    }

    /**
     * Marks a moment of the calling thread.
     *
     * @param text any text; logs and traces keep the first 63 bytes
     * @throws IllegalArgumentException if it contains a NUL
     */
    public static void mark(String text) {
        Call.withText(text, "text", bytes -> Native.CALLS.mark(bytes), null);
        Recorder.mark(text);
    }

    /** {@return whether it has not ended} */
    public boolean isOpen() {
        return open;
    }

    /**
     * Ends the range. Later calls do nothing.
     *
     * @throws GpuStreamException SCOPE if this is another thread's range or another one is open inside it: nothing has
     *     changed then, and it is still open
     */
    @Override
    public void close() {
        if (!open) {
            return;
        }
        if (Thread.currentThread() != scratch.thread) {
            throw Failure.of(Status.SCOPE, "the range belongs to thread '" + scratch.thread.getName() + "'");
        }
        if (scratch.innermostRange != this) {
            throw Failure.of(
                    Status.SCOPE, "another range is the innermost: ranges end in the reverse order of beginning");
        }
        open = false;
        scratch.innermostRange = outer;
        Recorder.done(span);
        Failure.check(Native.CALLS.rangePop());
    }
}
