// SPDX-License-Identifier: Apache-2.0
package io.gpustream.internal.jni;

import io.gpustream.internal.Bridge;
import io.gpustream.internal.CurrentCalls;
import io.gpustream.internal.DeviceCalls;
import io.gpustream.internal.EventCalls;
import io.gpustream.internal.Layer;
import io.gpustream.internal.LibraryCalls;
import io.gpustream.internal.load.LibrarySearch;
import io.gpustream.internal.StreamCalls;
import io.gpustream.internal.TelemetryCalls;
import io.gpustream.internal.WorkCalls;
import java.nio.file.Path;
import java.util.function.Function;

/** The layer for every Java from 17 on: native methods in libgpustreamjni.so, which SWIG generated. */
public final class JniLayer implements Layer {
    private static final String FILE = LibrarySearch.JAVA;

    private final Bridge bridge;

    public JniLayer() {
        LibrarySearch search = new LibrarySearch();
        if (!search.attempt(FILE + " on java.library.path", () -> System.loadLibrary("gpustreamjni"))
                && !load(search, search::stated)
                && !load(search, search::bundled)) {
            throw search.failure(FILE);
        }
        bridge = new JniBridge();
    }

    // The JNI library names the core by its SONAME only, so the process's copy is used if there is one. Otherwise the
    // core that lies with it is loaded first and answers to that name from then on.
    private static boolean load(LibrarySearch search, Function<String, Path> place) {
        Path file = place.apply(FILE);
        if (file == null) {
            return false;
        }
        if (search.attempt(file + " with " + LibrarySearch.CORE + " by name", () -> System.load(file.toString()))) {
            return true;
        }
        Path core = place.apply(LibrarySearch.CORE);
        return core != null
                && search.attempt(core.toString(), () -> System.load(core.toString()))
                && search.attempt(file.toString(), () -> System.load(file.toString()));
    }

    @Override
    public String name() {
        return "jni";
    }

    @Override
    public LibraryCalls library() {
        return new JniLibrary();
    }

    @Override
    public DeviceCalls devices() {
        return new JniDevices();
    }

    @Override
    public StreamCalls streams() {
        return new JniStreams();
    }

    @Override
    public CurrentCalls current() {
        return new JniCurrent();
    }

    @Override
    public EventCalls events() {
        return new JniEvents();
    }

    @Override
    public WorkCalls work() {
        return new JniWork();
    }

    @Override
    public TelemetryCalls telemetry() {
        return new JniTelemetry();
    }

    @Override
    public Bridge bridge() {
        return bridge;
    }
}
