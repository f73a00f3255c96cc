// SPDX-License-Identifier: Apache-2.0
package io.gpustream.internal.jfr;

/**
 * What the JDK's flight recorder hears of: ranges, marks and waits. Nothing is recorded where the module jdk.jfr is missing;
 * then the class that mentions that module is never loaded.
 */
public final class Recorder {
    private static final boolean PRESENT = ModuleLayer.boot().findModule("jdk.jfr").isPresent();

    private Recorder() {}

    /** The beginning of a range, whose end records it, with the thread that ends it; null: it is not recorded. */
    public static Runnable range(String name) {
        return PRESENT ? JfrRecorder.range(name) : null;
    }

    /** A moment. */
    public static void mark(String text) {
        if (PRESENT) {
            JfrRecorder.mark(text);
        }
    }

    /** The beginning of a wait in {@code method} for the object with that handle, 0 if for several; null as above. */
    public static Runnable wait(String method, long handle) {
        return PRESENT ? JfrRecorder.wait(method, handle) : null;
    }

    /** The end of what one of these methods returned. */
    public static void done(Runnable span) {
        if (span != null) {
            span.run();
        }
    }
}
