// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

/** What synchronizing calls do, for the whole process. The order of the constants is that of the C interface. */
public enum SyncDebugMode {
    // Generated list: scripts/generate writes it from include/gpustream.h.
    /** Synchronizing calls are silent. */
    DEFAULT,
    /**
     * Synchronizing calls log a warning; not one with a limit that goes on, after a timeout, with the thread's last one.
     */
    WARN,
    /** Synchronizing calls return {@link Status#SYNC_FORBIDDEN} and wait for nothing. */
    ERROR,
    // End of the generated list.
}
