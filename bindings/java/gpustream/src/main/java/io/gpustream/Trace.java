// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import io.gpustream.internal.Layouts;
import io.gpustream.internal.Native;
import io.gpustream.internal.Scratch;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;

/**
 * Records what the process gives its streams, what orders that work, and the ranges of its threads, from start to end.
 * Perfetto, Chrome and PyTorch's tools read the JSON:
 *
 * <pre>{@code
 * Trace trace = Trace.start();
 * try (trace; Range step = Range.push("step")) {
 *     ...
 * }
 * trace.write(Path.of("step.json"));
 * }</pre>
 *
 * <p>The trace is the process's: one runs at a time, also beside other languages. The last one can be written while it
 * runs and again after its end, until another one starts. Any thread may call any method.
 */
public final class Trace implements AutoCloseable {
    /** The one that was started last in Java. Guarded by the class. */
    private static Trace latest;

    /** Guarded by the class. */
    private boolean running = true;

    /** The library's number of it. */
    private final long number;

    private Trace(long number) {
        this.number = number;
    }

    /**
     * Starts a trace that keeps the last 16384 operations of each thread. What the one before had kept is forgotten. Does
     * not wait for device work.
     *
     * @param flags what it measures beside the calls
     * @return the trace, which runs until it is closed
     * @throws GpuStreamException NOT_PERMITTED (a trace is running: it goes on as it was), OUT_OF_MEMORY, UNAVAILABLE
     */
    public static Trace start(TraceFlag... flags) {
        return start(0, flags);
    }

    /**
     * Starts a trace that keeps a given number of operations. Older ones are dropped, and counted in the trace.
     *
     * @param operations of each thread that are kept, rounded up to a power of two, 48 bytes each; 0: 16384
     * @param flags as for {@link #start(TraceFlag...)}
     * @return the trace, which runs until it is closed
     * @throws IllegalArgumentException if operations is below 0
     * @throws GpuStreamException INVALID_ARGUMENT (operations is above 1048576), and as {@link #start(TraceFlag...)}
     */
    public static Trace start(long operations, TraceFlag... flags) {
        if (operations < 0) {
            throw new IllegalArgumentException("operations is " + operations);
        }
        int bits = Call.bits(flags, flag -> flag.bit);
        Scratch scratch = Scratch.get();
        long options = Layouts.TRACE_OPTIONS.prepare(scratch);
        var fields = Layouts.TRACE_OPTIONS.fields();
        scratch.putInt(fields.get("flags").offset(), bits).putLong(fields.get("operations").offset(), operations);
        synchronized (Trace.class) {
            int place = Layouts.TRACE_OPTIONS.size(); // behind the options
            Failure.check(Native.CALLS.traceBegin(options, scratch.at(place)));
            if (latest != null) {
                latest.running = false; // other code has stopped it
            }
            latest = new Trace(scratch.getLong(place));
            return latest;
        }
    }

    /**
     * Returns whether this is the latest trace that Java started and is still open. Other languages in the process may have
     * stopped it.
     *
     * @return whether it has not ended, as far as Java knows
     */
    public boolean isRunning() {
        synchronized (Trace.class) {
            return running;
        }
    }

    /**
     * Stops the trace, which can still be written. Ranges that are open end in it at this moment. Later calls do nothing, nor
     * does this one if other code has stopped the trace: one that was started since goes on. Does not wait for device work.
     */
    @Override
    public void close() {
        synchronized (Trace.class) {
            if (running) {
                int status = Native.CALLS.traceEnd(number);
                if (status != Status.SCOPE.code()) {
                    Failure.check(status);
                }
                running = false;
            }
        }
    }

    /**
     * Returns the trace as JSON. Only with {@link TraceFlag#DEVICE_TIMES} it waits for device work, of its own, to compare
     * clocks; ranges whose work is not done yet are left out and counted.
     *
     * @return the text, up to now if the trace is running
     * @throws GpuStreamException NOT_RECORDED (another trace has started since, also in another language),
     *     SYNC_FORBIDDEN (inside {@link OrderingChecker#forbidSync}), OUT_OF_MEMORY
     */
    public String text() {
        return Call.text((write, text) -> Native.CALLS.traceWrite(number, write, text), this);
    }

    /**
     * Writes {@link #text()} to a file, in UTF-8, which replaces one that exists.
     *
     * @param file where to
     * @throws IOException if the file cannot be written
     * @throws GpuStreamException as {@link #text()}
     */
    public void write(Path file) throws IOException {
        Files.writeString(Objects.requireNonNull(file, "file"), text(), StandardCharsets.UTF_8);
    }
}
