// SPDX-License-Identifier: Apache-2.0
package io.gpustream.internal.jfr;

/** Passes them on to the flight recorder. An event object is made even while the recorder wants none. */
final class JfrRecorder extends Recorder {
    @Override
    Span beginRange(String name) {
        RangeEvent event = new RangeEvent();
        if (!event.isEnabled()) {
            return null;
        }
        event.name = name;
        event.begin();
        return event;
    }

    @Override
    void addMark(String text) {
        MarkEvent event = new MarkEvent();
        if (event.isEnabled()) {
            event.text = text;
            event.commit();
        }
    }

    @Override
    Span beginWait(String method, long handle) {
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
