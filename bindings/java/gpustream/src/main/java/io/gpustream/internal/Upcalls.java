// SPDX-License-Identifier: Apache-2.0
package io.gpustream.internal;

/** What native code calls, on threads of Java. No exception leaves these methods: it would end the virtual machine. */
public final class Upcalls {
    private Upcalls() {}

    /** A wrapped stream is no longer needed. */
    public static void released(long number) {
        try {
            Runnable release = Callbacks.take(number);
            if (release != null) {
                Scratch.nested(release);
            }
        } catch (Throwable thrown) {
            Callbacks.report("the release function of a stream threw", thrown);
        }
    }

    /** The library initialises. Returns a gs_status_t. */
    public static int initialised(long number) {
        try {
            Runnable function = Callbacks.take(number);
            if (function != null) {
                Scratch.nested(function);
            }
            return Constants.OK;
        } catch (Throwable thrown) {
            Callbacks.setInitFailure(thrown);
            return Constants.ERROR_SYSTEM;
        }
    }

    /** A message without a caller, within a call of this thread; the level is GS_LOG_*. */
    public static void logged(int level, String text) {
        try {
            Scratch.nested(() -> Callbacks.log(level, text));
        } catch (Throwable thrown) {
            Callbacks.report("a message of gpustream was lost", thrown);
        }
    }
}
