// SPDX-License-Identifier: Apache-2.0
package io.gpustream.internal.ffm;

import io.gpustream.internal.LibraryCalls;
import java.lang.invoke.MethodHandle;

/** Versions, statuses, errors, and the library as a whole. One static handle per function,
        which the compiler of the virtual machine sees through. */
final class FfmLibrary implements LibraryCalls {
    private static final MethodHandle VERSION = Symbols.critical("gs_version", int.class);
    private static final MethodHandle ABI_VERSION = Symbols.critical("gs_abi_version", int.class);
    private static final MethodHandle VERSION_STRING = Symbols.plain("gs_version_string", long.class);
    private static final MethodHandle INSTANCE_COUNT = Symbols.plain("gs_instance_count", int.class);
    private static final MethodHandle STATUS_NAME = Symbols.plain("gs_status_name", long.class, int.class);
    private static final MethodHandle STATUS_MESSAGE = Symbols.plain("gs_status_message", long.class, int.class);
    private static final MethodHandle LAST_ERROR = Symbols.plain("gs_last_error", int.class, long.class);
    private static final MethodHandle NATIVE_ERROR_TEXT =
            Symbols.plain("gs_native_error_text", long.class, int.class, int.class);
    private static final MethodHandle SET_LOG_CALLBACK =
            Symbols.plain("gs_set_log_callback", int.class, long.class, long.class);
    private static final MethodHandle INIT = Symbols.plain("gs_init", int.class);
    private static final MethodHandle IS_INITIALIZED = Symbols.plain("gs_is_initialized", int.class, long.class);
    private static final MethodHandle IS_AVAILABLE = Symbols.plain("gs_is_available", int.class, long.class);
    private static final MethodHandle CALL_ON_INIT =
            Symbols.plain("gs_call_on_init", int.class, long.class, long.class);
    private static final MethodHandle FORK_STATUS = Symbols.plain("gs_fork_status", int.class, long.class);
    private static final MethodHandle SET_SYNC_DEBUG_MODE =
            Symbols.plain("gs_set_sync_debug_mode", int.class, int.class);
    private static final MethodHandle GET_SYNC_DEBUG_MODE =
            Symbols.plain("gs_get_sync_debug_mode", int.class, long.class);
    private static final MethodHandle SET_SYNC_DEBUG_SCOPE =
            Symbols.plain("gs_set_sync_debug_scope", int.class, int.class);
    private static final MethodHandle GET_SYNC_DEBUG_SCOPE =
            Symbols.plain("gs_get_sync_debug_scope", int.class, long.class);
    private static final MethodHandle GET_STATS = Symbols.plain("gs_get_stats", int.class, long.class);
    private static final MethodHandle RESET_STATS = Symbols.plain("gs_reset_stats", int.class);
    private static final MethodHandle TRIM = Symbols.plain("gs_trim", int.class);

    @Override
    public int version() {
        try {
            return (int) VERSION.invokeExact();
        } catch (Throwable error) {
            throw Symbols.broken(error);
        }
    }

    @Override
    public int abiVersion() {
        try {
            return (int) ABI_VERSION.invokeExact();
        } catch (Throwable error) {
            throw Symbols.broken(error);
        }
    }

    @Override
    public String versionString() {
        try {
            return Symbols.text((long) VERSION_STRING.invokeExact());
        } catch (Throwable error) {
            throw Symbols.broken(error);
        }
    }

    @Override
    public int instanceCount() {
        try {
            return (int) INSTANCE_COUNT.invokeExact();
        } catch (Throwable error) {
            throw Symbols.broken(error);
        }
    }

    @Override
    public String statusName(int status) {
        try {
            return Symbols.text((long) STATUS_NAME.invokeExact(status));
        } catch (Throwable error) {
            throw Symbols.broken(error);
        }
    }

    @Override
    public String statusMessage(int status) {
        try {
            return Symbols.text((long) STATUS_MESSAGE.invokeExact(status));
        } catch (Throwable error) {
            throw Symbols.broken(error);
        }
    }

    @Override
    public int lastError(long outError) {
        try {
            return (int) LAST_ERROR.invokeExact(outError);
        } catch (Throwable error) {
            throw Symbols.broken(error);
        }
    }

    @Override
    public String nativeErrorText(int backend, int nativeCode) {
        try {
            return Symbols.text((long) NATIVE_ERROR_TEXT.invokeExact(backend, nativeCode));
        } catch (Throwable error) {
            throw Symbols.broken(error);
        }
    }

    @Override
    public int setLogCallback(long fn, long arg) {
        try {
            return (int) SET_LOG_CALLBACK.invokeExact(fn, arg);
        } catch (Throwable error) {
            throw Symbols.broken(error);
        }
    }

    @Override
    public int init() {
        try {
            return (int) INIT.invokeExact();
        } catch (Throwable error) {
            throw Symbols.broken(error);
        }
    }

    @Override
    public int isInitialized(long outInitialized) {
        try {
            return (int) IS_INITIALIZED.invokeExact(outInitialized);
        } catch (Throwable error) {
            throw Symbols.broken(error);
        }
    }

    @Override
    public int isAvailable(long outAvailable) {
        try {
            return (int) IS_AVAILABLE.invokeExact(outAvailable);
        } catch (Throwable error) {
            throw Symbols.broken(error);
        }
    }

    @Override
    public int callOnInit(long fn, long arg) {
        try {
            return (int) CALL_ON_INIT.invokeExact(fn, arg);
        } catch (Throwable error) {
            throw Symbols.broken(error);
        }
    }

    @Override
    public int forkStatus(long outStatus) {
        try {
            return (int) FORK_STATUS.invokeExact(outStatus);
        } catch (Throwable error) {
            throw Symbols.broken(error);
        }
    }

    @Override
    public int setSyncDebugMode(int mode) {
        try {
            return (int) SET_SYNC_DEBUG_MODE.invokeExact(mode);
        } catch (Throwable error) {
            throw Symbols.broken(error);
        }
    }

    @Override
    public int getSyncDebugMode(long outMode) {
        try {
            return (int) GET_SYNC_DEBUG_MODE.invokeExact(outMode);
        } catch (Throwable error) {
            throw Symbols.broken(error);
        }
    }

    @Override
    public int setSyncDebugScope(int scope) {
        try {
            return (int) SET_SYNC_DEBUG_SCOPE.invokeExact(scope);
        } catch (Throwable error) {
            throw Symbols.broken(error);
        }
    }

    @Override
    public int getSyncDebugScope(long outScope) {
        try {
            return (int) GET_SYNC_DEBUG_SCOPE.invokeExact(outScope);
        } catch (Throwable error) {
            throw Symbols.broken(error);
        }
    }

    @Override
    public int getStats(long outStats) {
        try {
            return (int) GET_STATS.invokeExact(outStats);
        } catch (Throwable error) {
            throw Symbols.broken(error);
        }
    }

    @Override
    public int resetStats() {
        try {
            return (int) RESET_STATS.invokeExact();
        } catch (Throwable error) {
            throw Symbols.broken(error);
        }
    }

    @Override
    public int trim() {
        try {
            return (int) TRIM.invokeExact();
        } catch (Throwable error) {
            throw Symbols.broken(error);
        }
    }
}
