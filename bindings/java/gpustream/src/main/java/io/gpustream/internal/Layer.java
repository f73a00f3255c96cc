// SPDX-License-Identifier: Apache-2.0
package io.gpustream.internal;

/** One way to call the library: JNI, or java.lang.foreign (FFM). Both serve the same public classes. */
public interface Layer {
    /** "jni" or "ffm". */
    String name();

    LibraryCalls library();

    DeviceCalls devices();

    StreamCalls streams();

    CurrentCalls current();

    EventCalls events();

    WorkCalls work();

    TelemetryCalls telemetry();

    Bridge bridge();
}
