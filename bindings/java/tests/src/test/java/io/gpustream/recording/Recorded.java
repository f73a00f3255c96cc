// SPDX-License-Identifier: Apache-2.0
package io.gpustream.recording;

import io.gpustream.CompletionQueue;
import io.gpustream.Device;
import io.gpustream.Event;
import io.gpustream.Range;
import io.gpustream.StartedRange;
import io.gpustream.Stream;
import io.gpustream.Timeline;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import jdk.jfr.Recording;

/** A program that is recorded. It uses what the module exports, as it may run beside that module. */
public final class Recorded {
    private Recorded() {}

    /** Keeps the classes of the recorder apart from what runs without them. */
    private static final class WithRecorder {
        static void run(String file) throws IOException, InterruptedException {
            try (Recording recording = new Recording()) {
                recording.start();
                work();
                recording.stop();
                recording.dump(Path.of(file));
            }
        }
    }

    /** Argument: the file of the recording, or "absent". */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        try (Range before = Range.push("before")) {
            Range.mark("before, too");
        }
        boolean absent = ModuleLayer.boot().findModule("jdk.jfr").isEmpty();
        if (absent != arguments[0].equals("absent")) {
            throw new IllegalStateException("the module jdk.jfr is " + (absent ? "absent" : "present"));
        }
        if (absent) {
            work();
        } else {
            WithRecorder.run(arguments[0]);
        }
        System.out.println(Range.class.getModule().getName() + " has done it");
    }

    static void work() throws InterruptedException {
        try (Stream stream = Stream.create();
                Event event = Event.create();
                Timeline timeline = Timeline.create();
                CompletionQueue queue = CompletionQueue.create(4)) {
            try (Range step = Range.push("step");
                    Range upload = Range.push("upload")) {
                Range.mark("first chunk");
                stream.synchronize();
            }
            StartedRange request = StartedRange.start("request");
            Thread finisher = new Thread(request::close, "finisher");
            finisher.start();
            finisher.join();
            event.record(stream);
            event.synchronize();
            Device.current().synchronize();
            timeline.signal(1);
            timeline.synchronize(1);
            if (timeline.synchronize(2, Duration.ofMillis(1))) {
                throw new IllegalStateException("2 was not signalled");
            }
            waitInParts(stream, event, timeline, queue);
            System.out.println(stream.explain()); // begins with its number
        }
    }

    // The stream is held up, so that each of these waits.
    private static void waitInParts(Stream stream, Event event, Timeline timeline, CompletionQueue queue)
            throws InterruptedException {
        Duration enough = Duration.ofMinutes(2);
        timeline.makeWait(3, stream);
        event.record(stream);
        Thread waiter = Thread.currentThread();
        Thread releaser = new Thread(() -> {
            while (waiter.getState() != Thread.State.TIMED_WAITING) {
                Thread.onSpinWait();
            }
            timeline.signal(3);
        });
        releaser.start();
        if (!stream.synchronize(enough) || !event.synchronize(Duration.ZERO)) {
            throw new IllegalStateException("it was signalled");
        }
        releaser.join();
        queue.add(stream, 7);
        if (Event.synchronizeAny(List.of(event), enough).isEmpty() || queue.await(4, enough).size() != 1) {
            throw new IllegalStateException("the work is done");
        }
    }
}
