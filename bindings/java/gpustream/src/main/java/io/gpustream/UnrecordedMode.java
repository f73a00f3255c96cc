// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

/** What a wait for an event that was never recorded does. The order of the constants is that of the C interface. */
public enum UnrecordedMode {
    // Generated list: scripts/generate writes it from include/gpustream.h.
    /** Nothing, as in CUDA. */
    IGNORE,
    /** It logs a warning. */
    WARN,
    /** It returns {@link Status#NOT_RECORDED}. */
    ERROR,
    // End of the generated list.
}
