// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

/** What synchronizing calls do, for the whole process. The order of the constants is that of the C interface. */
public enum SyncDebugMode {
    /** They are silent. */
    DEFAULT,
    /** They log a warning. */
    WARN,
    /** They throw {@link Status#SYNC_FORBIDDEN} and wait for nothing. */
    ERROR
}
