// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import io.gpustream.internal.Callbacks;
import io.gpustream.internal.Constants;
import io.gpustream.internal.Layouts;
import io.gpustream.internal.Native;
import io.gpustream.internal.Scratch;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * The native library as a whole. A process has one, shared by all languages. The first use of a class of this package
 * loads it, or throws {@link UnsatisfiedLinkError} that lists everything that was tried. Any thread may call any
 * method; none waits for device work unless it says so.
 */
public class Library {
    Library() {} // not final for the sake of its former name

    /** {@return version of the loaded library: 10000 * major + 100 * minor + patch} */
    public static int version() {
        return Native.CALLS.version();
    }

    /** {@return version of the loaded library as text, "major.minor.patch"} */
    public static String versionString() {
        return Native.BRIDGE.text(Native.CALLS.versionString());
    }

    /** {@return copies of the library in this process; more than one is a packaging mistake: each has its own state} */
    public static int instanceCount() {
        return Native.CALLS.instanceCount();
    }

    /** {@return how these classes call the library: "ffm" or "jni"} */
    public static String layer() {
        return Native.LAYER.name();
    }

    /** {@return the backends that have a device here, in the order of their numbers; starts nothing} */
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
     * start it; useful to have failures and delays at a chosen moment. Creates no device context.
     *
     * @throws GpuStreamException UNAVAILABLE, INVALID_ARGUMENT ({@code GPUSTREAM_BACKEND}), SYSTEM (also: a queued
     *     function threw, which is the cause then), DRIVER
     */
    public static void init() {
        Failure.check(Native.CALLS.init());
    }

    /** {@return whether the default backend has started and all functions of {@link #callOnInit} have run} */
    public static boolean isInitialized() {
        return Call.forInt(out -> Native.CALLS.isInitialized(out)) != 0;
    }

    /**
     * Returns whether the default backend is an accelerator with a device, or the host backend chosen by name. Starts
     * nothing; without NVML, only {@link #init} may find out that the driver offers no device.
     *
     * @return true if it can be used
     * @throws GpuStreamException INVALID_ARGUMENT if {@code GPUSTREAM_BACKEND} holds an unknown name
     */
    public static boolean isAvailable() {
        return Call.forInt(out -> Native.CALLS.isAvailable(out)) != 0;
    }

    /**
     * Runs a function once the library is initialised: now if it is, else on the thread that initialises it, in the
     * order of the calls, each once. If it throws, the initialising call fails with SYSTEM and that cause.
     *
     * @param function what to run
     * @throws GpuStreamException SYSTEM if it ran now and threw, with that cause
     */
    public static void callOnInit(Runnable function) {
        Call.registering(
                Objects.requireNonNull(function, "function"),
                Callbacks.ON_INIT,
                (call, argument) -> Native.CALLS.callOnInit(call, argument));
    }

    /**
     * Sets what synchronizing calls do, for the whole process.
     *
     * @param mode {@link SyncDebugMode#DEFAULT} at the start
     */
    public static void setSyncDebugMode(SyncDebugMode mode) {
        setOption(Constants.OPTION_SYNC_DEBUG_MODE, Objects.requireNonNull(mode, "mode"));
    }

    /** {@return what synchronizing calls do} */
    public static SyncDebugMode syncDebugMode() {
        return SyncDebugMode.values()[option(Constants.OPTION_SYNC_DEBUG_MODE)];
    }

    /**
     * Sets which calls the sync debug mode applies to, for the whole process.
     *
     * @param scope {@link SyncDebugScope#TORCH} at the start
     */
    public static void setSyncDebugScope(SyncDebugScope scope) {
        setOption(Constants.OPTION_SYNC_DEBUG_SCOPE, Objects.requireNonNull(scope, "scope"));
    }

    /** {@return which calls the sync debug mode applies to} */
    public static SyncDebugScope syncDebugScope() {
        return SyncDebugScope.values()[option(Constants.OPTION_SYNC_DEBUG_SCOPE)];
    }

    /**
     * Sets what waits for events that were never recorded do, for the whole process: those of streams and of threads.
     *
     * @param mode {@link UnrecordedMode#IGNORE} at the start
     */
    public static void setUnrecordedMode(UnrecordedMode mode) {
        setOption(Constants.OPTION_UNRECORDED_MODE, Objects.requireNonNull(mode, "mode"));
    }

    /** {@return what waits for events that were never recorded do} */
    public static UnrecordedMode unrecordedMode() {
        return UnrecordedMode.values()[option(Constants.OPTION_UNRECORDED_MODE)];
    }

    /**
     * Sets how threads wait in calls that block in the library, such as {@link Stream#synchronize()}, for the whole
     * process. Waits that have begun are not affected. At the start it is what {@code GPUSTREAM_WAIT} says, else
     * {@link WaitMode#DRIVER}.
     *
     * @param mode how
     */
    public static void setWaitMode(WaitMode mode) {
        setOption(Constants.OPTION_WAIT_MODE, Objects.requireNonNull(mode, "mode"));
    }

    /** {@return how threads wait in calls that block in the library} */
    public static WaitMode waitMode() {
        return WaitMode.values()[option(Constants.OPTION_WAIT_MODE)];
    }

    private static void setOption(int option, Enum<?> value) {
        Failure.check(Native.CALLS.setOption(option, value.ordinal()));
    }

    private static int option(int option) {
        return (int) Call.forLong(out -> Native.CALLS.getOption(option, out));
    }

    /** {@return the library's counters, summed over all threads} */
    public static Stats stats() {
        Scratch scratch = Scratch.get();
        Failure.check(Native.CALLS.getStats(Layouts.STATS.prepare(scratch)));
        return Stats.read(scratch);
    }

    /** Makes the present counters the new zero point, for the whole process. */
    public static void resetStats() {
        Failure.check(Native.CALLS.resetStats());
    }

    /** Releases pooled streams and events to the driver, those with pending work excepted. Starts nothing. */
    public static void trim() {
        Failure.check(Native.CALLS.trim());
    }

    /**
     * Returns a text for a native code such as {@link GpuStreamException#nativeCode()}. Starts nothing.
     *
     * @param backend whose code it is
     * @param nativeCode the driver's code
     * @return the text; one that says so if the code is unknown
     */
    public static String nativeErrorText(Backend backend, int nativeCode) {
        int code = Objects.requireNonNull(backend, "backend").code();
        return Native.BRIDGE.text(Native.CALLS.nativeErrorText(code, nativeCode));
    }
}
