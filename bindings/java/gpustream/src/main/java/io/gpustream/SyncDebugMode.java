// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

/** What synchronizing calls do, for the whole process. The order of the constants is that of the C interface. */
public enum SyncDebugMode {
    // Generated list: scripts/generate writes it from include/gpustream.h.
    /** Synchronizing calls are silent. */
    DEFAULT,
    /**
     * Synchronizing calls log a warning. A wait with a limit above 0 may follow, on its thread, one for the same object
     * that timed out: it goes on with that one and logs none.
     */
    WARN,
    /** Synchronizing calls return {@link Status#SYNC_FORBIDDEN} and wait for nothing. */
    ERROR,
    // End of the generated list.
}
