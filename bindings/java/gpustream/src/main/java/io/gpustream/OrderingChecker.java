// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import io.gpustream.internal.Callbacks;
import io.gpustream.internal.Native;
import java.lang.ref.Reference;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.BiConsumer;

/**
 * The ordering checker: finds accesses to memory that nothing orders, on any backend and at any timing. Copies, fills,
 * allocations and frees of the library are known; what a kernel accesses is declared beside its launch:
 *
 * <pre>{@code
 * OrderingChecker.start();
 * OrderingChecker.read(stream, input, "scale: input");
 * OrderingChecker.write(stream, output, "scale: output");
 * kernel.launch(...);
 * }</pre>
 *
 * <p>{@link #access} declares several at once, for a block. Reports go to stderr or to the function of {@link #onReport}, and as JSON to the file that {@code
 * GPUSTREAM_CHECK_JSON} names. Any thread may call any method; none waits for device work.
 */
public final class OrderingChecker {
    private OrderingChecker() {}

    /**
     * Turns the checker on, for the whole process. If it is on already, only the flags change.
     *
     * @param flags what it does beside reporting
     * @throws GpuStreamException INVALID_ARGUMENT (a line of the file that {@code GPUSTREAM_CHECK_SUPPRESSIONS} names is
     *     malformed), SYSTEM (this file or that of {@code GPUSTREAM_CHECK_JSON} cannot be opened)
     */
    public static void start(CheckFlag... flags) {
        Failure.check(Native.CALLS.checkStart(Call.bits(flags, flag -> flag.bit)));
    }

    /** Turns the checker off; it forgets what it knows. */
    public static void stop() {
        Failure.check(Native.CALLS.checkStop());
    }

    /**
     * Sets the function that receives reports, for the whole process. It runs on the thread for callbacks, soon after the
     * access that completed the race, and what it throws is logged. With {@link CheckFlag#ABORT} the process has ended by
     * then: leave reports on stderr.
     *
     * @param function gets the report as text of several lines, and as a JSON object. A function that was set before may
     *     still get reports that were made until now
     */
    public static void onReport(BiConsumer<String, String> function) {
        // Never forgotten: a report for it may be under way.
        Callbacks.Reports receiver = Objects.requireNonNull(function, "function")::accept;
        Call.registering(
                receiver,
                Callbacks.ON_REPORT,
                (report, argument) -> Native.CALLS.setCheckCallback(report, argument));
    }

    /** Reports go to stderr, as at first. */
    public static void resetReports() {
        Failure.check(Native.CALLS.setCheckCallback(0, 0));
    }

    /**
     * Declares that the work submitted to a stream at this place reads memory.
     *
     * @param stream where the work is submitted
     * @param memory what it reads, all of it
     * @param label what reports call the work
     * @throws IllegalArgumentException if the label contains a NUL
     * @throws IllegalStateException if stream or memory is closed
     */
    public static void read(Stream stream, Memory memory, String label) {
        declare(stream, memory, label, false);
    }

    /**
     * Declares that the work submitted to a stream at this place writes memory, and possibly reads it.
     *
     * @param stream where the work is submitted
     * @param memory what it writes, all of it
     * @param label what reports call the work
     * @throws IllegalArgumentException if the label contains a NUL
     * @throws IllegalStateException if stream or memory is closed
     */
    public static void write(Stream stream, Memory memory, String label) {
        declare(stream, memory, label, true);
    }

    /**
     * Declares what a block submits to a stream, at once and at this place: a race is reported before the block's work is
     * submitted. The memory stays reachable until the block ends, so that the block may pass its address on:
     *
     * <pre>{@code
     * try (var access = OrderingChecker.access(stream, List.of(input), List.of(output), "scale")) {
     *     kernel.launch(...);
     * }
     * }</pre>
     *
     * <p>In a capture it is accessed at each launch of the graph.
     *
     * @param stream where the work is submitted
     * @param reads what it reads, all of it
     * @param writes what it writes and possibly reads, all of it
     * @param label what reports call the work
     * @return the block's end, which declares nothing more
     * @throws NullPointerException if anything is null; nothing is declared then, nor after the next two
     * @throws IllegalArgumentException if the label contains a NUL
     * @throws IllegalStateException if the stream or a memory is closed
     * @throws GpuStreamException STICKY and others by which the stream cannot be used: what comes first is declared
     */
    public static CheckedAccess access(
            Stream stream, List<? extends Memory> reads, List<? extends Memory> writes, String label) {
        HandleOwner.numberOf(stream, "stream");
        List<Memory> read = usable(reads, "reads");
        List<Memory> written = usable(writes, "writes");
        Call.terminated(label, "label");
        read.forEach(memory -> declare(stream, memory, label, false));
        written.forEach(memory -> declare(stream, memory, label, true));
        return new CheckedAccess(read, written);
    }

    /**
     * As {@link #access(Stream, List, List, String)}, with the caller's file, line and method as the label. Finding them takes
     * a microsecond or two, also while the checker is off.
     *
     * @param stream where the work is submitted
     * @param reads what it reads, all of it
     * @param writes what it writes and possibly reads, all of it
     * @return the block's end, which declares nothing more
     * @throws NullPointerException if anything is null; nothing is declared then
     * @throws IllegalStateException if the stream or a memory is closed; nothing is declared then
     */
    public static CheckedAccess access(Stream stream, List<? extends Memory> reads, List<? extends Memory> writes) {
        String caller = StackWalker.getInstance().walk(frames -> frames.skip(1)
                .findFirst()
                .map(frame -> frame.getFileName() + ":" + frame.getLineNumber() + " in " + frame.getMethodName())
                .orElse("?"));
        return access(stream, reads, writes, caller);
    }

    private static List<Memory> usable(List<? extends Memory> memories, String what) {
        List<Memory> found = new ArrayList<>(Objects.requireNonNull(memories, what));
        found.forEach(memory -> Objects.requireNonNull(memory, what).address());
        return found;
    }

    private static void declare(Stream stream, Memory memory, String label, boolean writes) {
        long number = HandleOwner.numberOf(stream, "stream");
        long address = Objects.requireNonNull(memory, "memory").address();
        long bytes = memory.byteSize();
        Call.withText(
                label,
                "label",
                text -> writes
                        ? Native.CALLS.checkWrite(number, address, bytes, text)
                        : Native.CALLS.checkRead(number, address, bytes, text),
                memory);
        Reference.reachabilityFence(stream);
    }

    /**
     * Runs code in which the calling thread may not wait for device work: calls that would block it throw
     * SYNC_FORBIDDEN at once. Futures go on. Calls may be nested.
     *
     * @param body what to run; what it throws is thrown
     * @throws GpuStreamException NOT_PERMITTED on a virtual thread
     */
    public static void forbidSync(Runnable body) {
        Objects.requireNonNull(body, "body");
        Failure.requirePlatformThread("OrderingChecker.forbidSync");
        int before = forbid(1);
        try {
            body.run();
        } finally {
            forbid(before);
        }
    }

    private static int forbid(int on) {
        return Call.forInt(out -> Native.CALLS.forbidSync(on, out));
    }
}
