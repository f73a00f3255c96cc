// SPDX-License-Identifier: Apache-2.0
package io.gpustream.internal.jfr;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Unsigned;

/** Passes them on to the flight recorder. An event object is made even while the recorder wants none. */
final class JfrRecorder {
    private JfrRecorder() {}

    @Name("io.gpustream.Range")
    @Label("Range")
    @Category("gpustream")
    @Description("A part of the program that it has given a name")
    @StackTrace(false)
    static final class RangeEvent extends Event implements Runnable {
        @Label("Name")
        String name;

        @Override
        public void run() {
            commit();
        }
    }

    @Name("io.gpustream.Mark")
    @Label("Mark")
    @Category("gpustream")
    @Description("A moment that the program has marked")
    @StackTrace(false)
    static final class MarkEvent extends Event {
        @Label("Text")
        String text;
    }

    @Name("io.gpustream.Wait")
    @Label("Wait")
    @Category("gpustream")
    @Description("A thread waited for device work, or for entries of a queue")
    static final class WaitEvent extends Event implements Runnable {
        @Label("Method")
        String method;

        @Label("Handle")
        @Description("The number of the object that was waited for, as in error texts and dumps; 0: several")
        @Unsigned
        long handle;

        @Override
        public void run() {
            commit();
        }
    }

    static Runnable range(String name) {
        RangeEvent event = new RangeEvent();
        if (!event.isEnabled()) {
            return null;
        }
        event.name = name;
        event.begin();
        return event;
    }

    static void mark(String text) {
        MarkEvent event = new MarkEvent();
        if (event.isEnabled()) {
            event.text = text;
            event.commit();
        }
    }

    static Runnable wait(String method, long handle) {
        WaitEvent event = new WaitEvent();
        if (!event.isEnabled()) {
            return null;
        }
        event.method = method;
        event.handle = handle;
        event.begin();
        return event;
    }
}
