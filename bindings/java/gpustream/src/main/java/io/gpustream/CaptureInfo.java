// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import io.gpustream.internal.Layouts;
import io.gpustream.internal.Native;
import io.gpustream.internal.Scratch;
import java.util.Optional;

/**
 * The capture that a stream takes part in. Beside {@link CaptureState#NONE} all else is 0 or empty.
 *
 * @param state whether the stream is being captured
 * @param id number of the capture, which no other one of the process has; 0 if it is broken and other code began it
 * @param mode its mode; empty if other code began it
 * @param thread the operating system's number of the thread that began it; 0 if other code did
 * @param broken the call of gpustream that broke it; empty if none did
 */
public record CaptureInfo(
        CaptureState state, long id, Optional<CaptureMode> mode, long thread, Optional<Break> broken) {

    /**
     * A call that broke a capture.
     *
     * @param function the function of the C interface, such as "gs_graph_exec_launch"
     * @param nativeCode the driver's code (a CUresult)
     * @param thread the operating system's number of the thread that made the call
     */
    public record Break(String function, int nativeCode, long thread) {}

    /** The caller keeps the stream's object reachable. */
    static CaptureInfo of(long stream) {
        Scratch scratch = Scratch.get();
        Failure.check(Native.CALLS.streamCaptureInfo(stream, Layouts.CAPTURE_INFO.prepare(scratch)));
        CaptureState state = CaptureState.values()[Layouts.CAPTURE_INFO.getInt(scratch, "state")];
        int mode = Layouts.CAPTURE_INFO.getInt(scratch, "mode");
        int code = Layouts.CAPTURE_INFO.getInt(scratch, "broken_code");
        boolean known = state != CaptureState.NONE && mode >= 0 && mode < CaptureMode.values().length;
        return new CaptureInfo(
                state,
                Layouts.CAPTURE_INFO.getLong(scratch, "id"),
                known ? Optional.of(CaptureMode.values()[mode]) : Optional.empty(),
                Layouts.CAPTURE_INFO.getLong(scratch, "thread"),
                code == 0 ? Optional.empty() : Optional.of(breakOf(scratch, code)));
    }

    private static Break breakOf(Scratch scratch, int code) {
        return new Break(
                Layouts.CAPTURE_INFO.getText(scratch, "broken_function"),
                code,
                Layouts.CAPTURE_INFO.getLong(scratch, "broken_thread"));
    }

    /** Number of the graph that a stream is captured into by gpustream; 0: none. The stream must be live. */
    static long graphOf(long stream) {
        Scratch scratch = Scratch.get();
        int status = Native.CALLS.streamCaptureInfo(stream, Layouts.CAPTURE_INFO.prepare(scratch));
        boolean active = status == 0
                && Layouts.CAPTURE_INFO.getInt(scratch, "state") == CaptureState.ACTIVE.ordinal();
        return active ? Layouts.CAPTURE_INFO.getLong(scratch, "graph") : 0;
    }
}
