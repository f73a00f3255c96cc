// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import io.gpustream.internal.Callbacks;
import io.gpustream.internal.Layouts;
import io.gpustream.internal.Native;
import io.gpustream.internal.Scratch;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * The library as a whole. There is one in a process, shared by all languages; the first class of this package that is
 * used loads it, or throws {@link UnsatisfiedLinkError} with everything that was tried.
 */
public final class GpuStream {
    private GpuStream() {}

    /** Version of the loaded library as a number: 10000 * major + 100 * minor + patch. */
    public static int version() {
        return Native.LIBRARY.version();
    }

    /** Version of the loaded library as text, "major.minor.patch". */
    public static String versionString() {
        return Native.LIBRARY.versionString();
    }

    /** How many copies of the library this process has. More than one is a packaging mistake: each has its state. */
    public static int instanceCount() {
        return Native.LIBRARY.instanceCount();
    }

    /** How these classes call the library: "ffm" or "jni". */
    public static String layer() {
        return Native.LAYER.name();
    }

    /** The backends that have a device here, in the order of their numbers. Starts nothing. */
    public static List<Backend> backends() {
        List<Backend> found = new ArrayList<>();
        for (Backend backend : Backend.values()) {
            if (backend.deviceCount() > 0) {
                found.add(backend);
            }
        }
        return List.copyOf(found);
    }

    /**
     * Starts the default backend and runs what {@link #callOnInit} queued. Never needed, as calls that need a backend
     * start it; useful to meet failures and delays at a chosen moment.
     *
     * @throws GpuStreamException UNAVAILABLE, INVALID_ARGUMENT ({@code GPUSTREAM_BACKEND}), SYSTEM (also: a queued
     *     function threw, which is the cause then), DRIVER
     */
    public static void init() {
        Failure.check(Native.LIBRARY.init());
    }

    /** Whether the library is initialised. Starts nothing. */
    public static boolean isInitialized() {
        Scratch scratch = Scratch.get();
        Failure.check(Native.LIBRARY.isInitialized(scratch.address));
        return scratch.getInt() != 0;
    }

    /**
     * Whether the default backend is an accelerator with a device, or the host backend chosen by name. Starts nothing, so
     * without NVML a driver that shows no device may be found out by {@link #init} only.
     *
     * @throws GpuStreamException INVALID_ARGUMENT if {@code GPUSTREAM_BACKEND} holds an unknown name
     */
    public static boolean isAvailable() {
        Scratch scratch = Scratch.get();
        Failure.check(Native.LIBRARY.isAvailable(scratch.address));
        return scratch.getInt() != 0;
    }

    /**
     * Runs a function once the library is initialised: now if it is, else on the thread that initialises it, in the
     * order of the calls, each once. If it throws, the initialising call fails with SYSTEM.
     *
     * @throws GpuStreamException SYSTEM if it was run now and threw, which is the cause then
     */
    public static void callOnInit(Runnable function) {
        long number = Callbacks.register(Objects.requireNonNull(function, "function"));
        int status = Native.BRIDGE.callOnInit(number);
        if (status != 0) {
            Callbacks.forget(number);
            throw Failure.of(status);
        }
    }

    /** Sets what synchronizing calls do, for the whole process. */
    public static void setSyncDebugMode(SyncDebugMode mode) {
        Failure.check(Native.LIBRARY.setSyncDebugMode(Objects.requireNonNull(mode, "mode").ordinal()));
    }

    /** What synchronizing calls do. */
    public static SyncDebugMode syncDebugMode() {
        Scratch scratch = Scratch.get();
        Failure.check(Native.LIBRARY.getSyncDebugMode(scratch.address));
        return SyncDebugMode.values()[scratch.getInt()];
    }

    /** Sets which calls the sync debug mode applies to, for the whole process. */
    public static void setSyncDebugScope(SyncDebugScope scope) {
        Failure.check(Native.LIBRARY.setSyncDebugScope(Objects.requireNonNull(scope, "scope").ordinal()));
    }

    /** Which calls the sync debug mode applies to. */
    public static SyncDebugScope syncDebugScope() {
        Scratch scratch = Scratch.get();
        Failure.check(Native.LIBRARY.getSyncDebugScope(scratch.address));
        return SyncDebugScope.values()[scratch.getInt()];
    }

    /** The library's counters, summed over all threads. */
    public static Stats stats() {
        Scratch scratch = Scratch.get();
        Failure.check(Native.LIBRARY.getStats(Layouts.STATS.prepare(scratch)));
        return Stats.read(scratch);
    }

    /** Makes the present counters the new zero, for the whole process. */
    public static void resetStats() {
        Failure.check(Native.LIBRARY.resetStats());
    }

    /** Gives pooled streams and events back to the driver. Objects in use are kept. */
    public static void trim() {
        Failure.check(Native.LIBRARY.trim());
    }

    /** The architectures that the library brings kernels for: sm_NN machine code, compute_NN PTX. Empty for HOST. */
    public static List<String> archList(Backend backend) {
        String names = Native.TELEMETRY.archList(Objects.requireNonNull(backend, "backend").code());
        return names.isEmpty() ? List.of() : List.of(names.split(" "));
    }

    /** The options for nvcc that make kernels for {@link #archList}, separated by blanks; empty for HOST. */
    public static String gencodeFlags(Backend backend) {
        return Native.TELEMETRY.gencodeFlags(Objects.requireNonNull(backend, "backend").code());
    }

    /**
     * A cublasHandle_t that works in the calling thread's current stream, for this thread only; alive until the process
     * ends, not to be destroyed. Blocks while cuBLAS is loaded.
     *
     * @throws GpuStreamException NOT_SUPPORTED (no cuBLAS, or the current device is none of CUDA), NOT_PERMITTED on a
     *     virtual thread
     */
    public static long currentBlasHandle() {
        Threads.requirePlatformThread("GpuStream.currentBlasHandle");
        Scratch scratch = Scratch.get();
        Failure.check(Native.TELEMETRY.currentBlasHandle(scratch.address));
        return scratch.getLong();
    }

    /** A text for a native code such as {@link GpuStreamException#nativeCode()}; says so if the code is unknown. */
    public static String nativeErrorText(Backend backend, int nativeCode) {
        return Native.LIBRARY.nativeErrorText(Objects.requireNonNull(backend, "backend").code(), nativeCode);
    }
}
