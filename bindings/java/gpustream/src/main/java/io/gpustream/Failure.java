// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import io.gpustream.internal.Callbacks;
import io.gpustream.internal.Layouts;
import io.gpustream.internal.Native;
import io.gpustream.internal.Scratch;

/** The one place where a status becomes an exception. */
record Failure(
        int statusCode,
        String text,
        int reason,
        int nativeCode,
        boolean sticky,
        String function,
        String nativeFunction,
        String origin) {

    /** Throws unless the status is GS_OK. */
    static void check(int status) {
        if (status != 0) {
            throw of(status);
        }
    }

    /** The exception for a status that a call on this thread has just returned. */
    static GpuStreamException of(int status) {
        Scratch scratch = Scratch.get();
        int got = Native.LIBRARY.lastError(Layouts.ERROR_INFO.prepare(scratch));
        // The record belongs to the operating system's thread: a virtual thread may have been moved to another
        // meanwhile, and "not ready" leaves no record. Then only the status itself is known.
        if (got != 0 || Layouts.ERROR_INFO.getInt(scratch, "status") != status) {
            return plain(status, Native.LIBRARY.statusMessage(status), null);
        }
        Failure failure = new Failure(
                status,
                text(status, Layouts.ERROR_INFO.getText(scratch, "message")),
                Layouts.ERROR_INFO.getInt(scratch, "reason"),
                Layouts.ERROR_INFO.getInt(scratch, "native_code"),
                Layouts.ERROR_INFO.getInt(scratch, "sticky") != 0,
                Layouts.ERROR_INFO.getText(scratch, "function"),
                Layouts.ERROR_INFO.getText(scratch, "native_function"),
                Layouts.ERROR_INFO.getText(scratch, "origin"));
        return new GpuStreamException(failure, Callbacks.takeInitFailure());
    }

    /** A failure that the library did not see: of asynchronous work, or of a rule of these classes. */
    static GpuStreamException plain(int status, String message, Throwable cause) {
        return new GpuStreamException(new Failure(status, text(status, message), 0, 0, false, "", "", ""), cause);
    }

    private static String text(int status, String message) {
        return Native.LIBRARY.statusName(status) + ": " + message;
    }
}
