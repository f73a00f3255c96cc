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

    /** Result of {@link #bridged} after an exception; no raw handle has this value. */
    static final long THREW = Long.MIN_VALUE;

    private static final int GET = 0, SET = 1;

    /** A function of a bridge is called: what is 0 to get the stream, 1 to set it, 2 to set the device. */
    public static long bridged(long number, int what, int ordinal, long nativeHandle) {
        try {
            long[] result = {THREW};
            Scratch.nested(() -> result[0] = callBridged(Callbacks.bridged(number), what, ordinal, nativeHandle));
            return result[0];
        } catch (Throwable thrown) {
            Callbacks.setBridgeFailure(thrown);
            return THREW;
        }
    }

    private static long callBridged(Callbacks.Bridged library, int what, int ordinal, long nativeHandle) {
        if (what == GET) {
            return library.get(ordinal);
        }
        if (what == SET) {
            library.set(ordinal, nativeHandle);
        } else {
            library.setDevice(ordinal);
        }
        return 0;
    }

    /** A message without a caller, within a call of this thread; the level is GS_LOG_*, the text lies at an address. */
    public static void logged(int level, long text) {
        try {
            Scratch.nested(() -> Callbacks.log(level, Callbacks.text(text)));
        } catch (Throwable thrown) {
            Callbacks.report("a message of gpustream was lost", thrown);
        }
    }
}
