// SPDX-License-Identifier: Apache-2.0
package io.gpustream.internal.jni;

import io.gpustream.internal.LibraryCalls;

/** Versions, statuses, errors, and the library as a whole. Calls the methods that SWIG generated. */
final class JniLibrary implements LibraryCalls {
    @Override
    public int version() {
        return GpustreamJni.gs_version();
    }

    @Override
    public int abiVersion() {
        return GpustreamJni.gs_abi_version();
    }

    @Override
    public String versionString() {
        return GpustreamJni.gs_version_string();
    }

    @Override
    public int instanceCount() {
        return GpustreamJni.gs_instance_count();
    }

    @Override
    public String statusName(int status) {
        return GpustreamJni.gs_status_name(status);
    }

    @Override
    public String statusMessage(int status) {
        return GpustreamJni.gs_status_message(status);
    }

    @Override
    public int lastError(long outError) {
        return GpustreamJni.gs_last_error(outError);
    }

    @Override
    public String nativeErrorText(int backend, int nativeCode) {
        return GpustreamJni.gs_native_error_text(backend, nativeCode);
    }

    @Override
    public int setLogCallback(long fn, long arg) {
        return GpustreamJni.gs_set_log_callback(fn, arg);
    }

    @Override
    public int init() {
        return GpustreamJni.gs_init();
    }

    @Override
    public int isInitialized(long outInitialized) {
        return GpustreamJni.gs_is_initialized(outInitialized);
    }

    @Override
    public int isAvailable(long outAvailable) {
        return GpustreamJni.gs_is_available(outAvailable);
    }

    @Override
    public int callOnInit(long fn, long arg) {
        return GpustreamJni.gs_call_on_init(fn, arg);
    }

    @Override
    public int forkStatus(long outStatus) {
        return GpustreamJni.gs_fork_status(outStatus);
    }

    @Override
    public int setSyncDebugMode(int mode) {
        return GpustreamJni.gs_set_sync_debug_mode(mode);
    }

    @Override
    public int getSyncDebugMode(long outMode) {
        return GpustreamJni.gs_get_sync_debug_mode(outMode);
    }

    @Override
    public int setSyncDebugScope(int scope) {
        return GpustreamJni.gs_set_sync_debug_scope(scope);
    }

    @Override
    public int getSyncDebugScope(long outScope) {
        return GpustreamJni.gs_get_sync_debug_scope(outScope);
    }

    @Override
    public int getStats(long outStats) {
        return GpustreamJni.gs_get_stats(outStats);
    }

    @Override
    public int resetStats() {
        return GpustreamJni.gs_reset_stats();
    }

    @Override
    public int trim() {
        return GpustreamJni.gs_trim();
    }
}
