// SPDX-License-Identifier: Apache-2.0
package io.gpustream.internal;

/**
 * Versions, statuses, errors, and the library as a whole.
 *
 * <p>One method per function of gpustream.h, named after it, with its parameters in its order: handles, addresses and
 * pointers to functions are longs, unsigned numbers keep their bits. What they do is said in the header.
 */
public interface LibraryCalls {
    int version();

    int abiVersion();

    String versionString();

    int instanceCount();

    String statusName(int status);

    String statusMessage(int status);

    int lastError(long outError);

    String nativeErrorText(int backend, int nativeCode);

    int setLogCallback(long fn, long arg);

    int init();

    int isInitialized(long outInitialized);

    int isAvailable(long outAvailable);

    int callOnInit(long fn, long arg);

    int forkStatus(long outStatus);

    int setSyncDebugMode(int mode);

    int getSyncDebugMode(long outMode);

    int setSyncDebugScope(int scope);

    int getSyncDebugScope(long outScope);

    int getStats(long outStats);

    int resetStats();

    int trim();
}
