// SPDX-License-Identifier: Apache-2.0
package io.gpustream.internal.ffm;

import io.gpustream.internal.Bridge;
import io.gpustream.internal.CurrentCalls;
import io.gpustream.internal.DeviceCalls;
import io.gpustream.internal.EventCalls;
import io.gpustream.internal.Layer;
import io.gpustream.internal.LibraryCalls;
import io.gpustream.internal.StreamCalls;
import io.gpustream.internal.TelemetryCalls;
import io.gpustream.internal.WorkCalls;

/** The layer for Java 22 and newer: java.lang.foreign. Native code of ours is only in the way back into Java. */
public final class FfmLayer implements Layer {
    private final Bridge bridge = new FfmBridge();

    @Override
    public String name() {
        return "ffm";
    }

    @Override
    public LibraryCalls library() {
        return new FfmLibrary();
    }

    @Override
    public DeviceCalls devices() {
        return new FfmDevices();
    }

    @Override
    public StreamCalls streams() {
        return new FfmStreams();
    }

    @Override
    public CurrentCalls current() {
        return new FfmCurrent();
    }

    @Override
    public EventCalls events() {
        return new FfmEvents();
    }

    @Override
    public WorkCalls work() {
        return new FfmWork();
    }

    @Override
    public TelemetryCalls telemetry() {
        return new FfmTelemetry();
    }

    @Override
    public Bridge bridge() {
        return bridge;
    }
}
