// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

/** Whose unsafe driver calls are refused while a capture lasts. Calls of gpustream make none in any mode. */
public enum CaptureMode {
    // Generated list: scripts/generate writes it from include/gpustream.h.
    /** Those of every thread, unless the thread has chosen a mode of its own. */
    GLOBAL,
    /** Those of the thread that began the capture, which must also end it. */
    THREAD_LOCAL,
    /** None. Any thread may end the capture. */
    RELAXED,
    // End of the generated list.
}
