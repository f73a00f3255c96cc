// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import io.gpustream.internal.Constants;

/** What {@link Trace#start} asks for. */
public enum TraceFlag {
    // Generated list: scripts/generate writes it from include/gpustream.h.
    /** Ranges of threads are also timed on the device, in the streams that get their work. */
    DEVICE_TIMES(Constants.TRACE_DEVICE_TIMES),
    // End of the generated list.
    ;

    final int bit;

    TraceFlag(int bit) {
        this.bit = bit;
    }
}
