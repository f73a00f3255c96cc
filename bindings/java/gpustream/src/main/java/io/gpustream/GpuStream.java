// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import java.util.List;

/**
 * The former name of {@link Library}, which has the same methods.
 *
 * @deprecated since 0.1, the name suggests a stream: use {@link Library}
 */
@Deprecated(since = "0.1", forRemoval = true)
public final class GpuStream {
    private GpuStream() {}

    /** {@return as {@link Library#version}} */
    public static int version() {
        return Library.version();
    }

    /** {@return as {@link Library#versionString}} */
    public static String versionString() {
        return Library.versionString();
    }

    /** {@return as {@link Library#instanceCount}} */
    public static int instanceCount() {
        return Library.instanceCount();
    }

    /** {@return as {@link Library#layer}} */
    public static String layer() {
        return Library.layer();
    }

    /** {@return as {@link Library#backends}} */
    public static List<Backend> backends() {
        return Library.backends();
    }

    /** As {@link Library#init}. */
    public static void init() {
        Library.init();
    }

    /** {@return as {@link Library#isInitialized}} */
    public static boolean isInitialized() {
        return Library.isInitialized();
    }

    /** {@return as {@link Library#isAvailable}} */
    public static boolean isAvailable() {
        return Library.isAvailable();
    }

    /**
     * As {@link Library#callOnInit}.
     *
     * @param function as there
     */
    public static void callOnInit(Runnable function) {
        Library.callOnInit(function);
    }

    /**
     * As {@link Library#setSyncDebugMode}.
     *
     * @param mode as there
     */
    public static void setSyncDebugMode(SyncDebugMode mode) {
        Library.setSyncDebugMode(mode);
    }

    /** {@return as {@link Library#syncDebugMode}} */
    public static SyncDebugMode syncDebugMode() {
        return Library.syncDebugMode();
    }

    /**
     * As {@link Library#setSyncDebugScope}.
     *
     * @param scope as there
     */
    public static void setSyncDebugScope(SyncDebugScope scope) {
        Library.setSyncDebugScope(scope);
    }

    /** {@return as {@link Library#syncDebugScope}} */
    public static SyncDebugScope syncDebugScope() {
        return Library.syncDebugScope();
    }

    /**
     * As {@link Library#setUnrecordedMode}.
     *
     * @param mode as there
     */
    public static void setUnrecordedMode(UnrecordedMode mode) {
        Library.setUnrecordedMode(mode);
    }

    /** {@return as {@link Library#unrecordedMode}} */
    public static UnrecordedMode unrecordedMode() {
        return Library.unrecordedMode();
    }

    /**
     * As {@link Library#setWaitMode}.
     *
     * @param mode as there
     */
    public static void setWaitMode(WaitMode mode) {
        Library.setWaitMode(mode);
    }

    /** {@return as {@link Library#waitMode}} */
    public static WaitMode waitMode() {
        return Library.waitMode();
    }

    /** {@return as {@link Library#stats}} */
    public static Stats stats() {
        return Library.stats();
    }

    /** As {@link Library#resetStats}. */
    public static void resetStats() {
        Library.resetStats();
    }

    /** As {@link Library#trim}. */
    public static void trim() {
        Library.trim();
    }

    /**
     * {@return as {@link Library#nativeErrorText}}
     *
     * @param backend as there
     * @param nativeCode as there
     */
    public static String nativeErrorText(Backend backend, int nativeCode) {
        return Library.nativeErrorText(backend, nativeCode);
    }
}
