// SPDX-License-Identifier: Apache-2.0
package io.gpustream.bench;

import io.gpustream.Device;
import io.gpustream.Event;
import io.gpustream.Library;
import io.gpustream.Stream;
import io.gpustream.StreamScope;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** The hot calls of gpustream through the layer that the virtual machine was started with. Names as in c_calls.c. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class Calls {
    private Stream stream;
    private Stream other;
    private Event event;
    private Event unbound;
    private Event complete;
    private Event onStream;
    private Event start;
    private Event end;

    @Setup
    public void make() {
        stream = Stream.create(Device.of(0));
        other = Stream.create(Device.of(0));
        event = Event.create();
        unbound = Event.create();
        complete = stream.recordEvent();
        onStream = stream.recordEvent();
        start = Event.timed();
        end = Event.timed();
        start.record(stream);
        end.record(stream);
        stream.synchronize();
        complete.query();
    }

    @Benchmark
    public void eventRecord() {
        event.record(stream);
    }

    @Benchmark
    public void waitSameStream() {
        stream.waitEvent(onStream);
    }

    @Benchmark
    public void waitComplete() {
        other.waitEvent(complete);
    }

    @Benchmark
    public void waitStream() {
        other.waitStream(stream);
    }

    @Benchmark
    public boolean queryComplete() {
        return complete.query();
    }

    @Benchmark
    public boolean streamQuery() {
        return stream.query();
    }

    @Benchmark
    public double elapsed() {
        return start.elapsedMs(end);
    }

    @Benchmark
    public long streamNative() {
        return stream.nativeHandle();
    }

    @Benchmark
    public int streamPriority() {
        return stream.priority();
    }

    @Benchmark
    public long eventId() {
        return complete.id();
    }

    /** A getter that asks the library each time and reads an output. A bound event would also create an object. */
    @Benchmark
    public Optional<Device> eventDevice() {
        return unbound.device();
    }

    /** A getter that asks the library each time and has no output. */
    @Benchmark
    public int version() {
        return Library.version();
    }

    @Benchmark
    public Stream currentStream() {
        return Stream.current();
    }

    @Benchmark
    public StreamScope pushPop() {
        try (StreamScope scope = stream.scope()) {
            return scope;
        }
    }

    @Benchmark
    public Event eventCreateDestroy() {
        try (Event created = Event.create()) {
            return created;
        }
    }

    @Benchmark
    public Stream streamCreateDestroy() {
        try (Stream created = Stream.create()) {
            return created;
        }
    }
}
