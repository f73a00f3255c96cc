// SPDX-License-Identifier: Apache-2.0
package io.gpustream.internal.jfr;

/**
 * What the JDK's flight recorder hears of: ranges, marks and waits. This class records nothing; it serves where the module
 * jdk.jfr is missing, and the other one where it is present. No class outside this package mentions that module.
 */
public class Recorder {
    private static final Recorder PRESENT = find();

    Recorder() {}

    /** Something that takes time. */
    public interface Span {
        /** Records it, with the thread that calls this. */
        void done();
    }

    private static Recorder find() {
        try {
            Class.forName("jdk.jfr.Event");
            return (Recorder) Class.forName("io.gpustream.internal.jfr.JfrRecorder")
                    .getDeclaredConstructor()
                    .newInstance();
        } catch (ReflectiveOperationException | LinkageError absent) {
            return new Recorder();
        }
    }

    /** The beginning of a range; null: it is not recorded. */
    public static Span range(String name) {
        return PRESENT.beginRange(name);
    }

    /** A moment. */
    public static void mark(String text) {
        PRESENT.addMark(text);
    }

    /** The beginning of a wait in {@code method} for the object with that handle, 0 if for several; null as above. */
    public static Span wait(String method, long handle) {
        return PRESENT.beginWait(method, handle);
    }

    /** The end of what one of these methods returned. */
    public static void done(Span span) {
        if (span != null) {
            span.done();
        }
    }

    Span beginRange(String name) {
        return null;
    }

    void addMark(String text) {}

    Span beginWait(String method, long handle) {
        return null;
    }
}
