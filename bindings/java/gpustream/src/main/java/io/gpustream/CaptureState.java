// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

/** Whether a stream is being captured. */
public enum CaptureState {
    // Generated list: scripts/generate writes it from include/gpustream.h.
    /** Not being captured. */
    NONE,
    /** Being captured. */
    ACTIVE,
    /** Takes part in a capture that was broken and has not been ended. */
    INVALIDATED,
    // End of the generated list.
}
