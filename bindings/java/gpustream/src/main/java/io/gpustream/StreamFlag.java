// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import io.gpustream.internal.Constants;
import java.util.Set;

/** How a stream was made. */
public enum StreamFlag {
    // Generated list: scripts/generate writes it from include/gpustream.h.
    /** Synchronizes implicitly with the device's default stream, as default and per-thread streams do. */
    BLOCKING(Constants.STREAM_BLOCKING),
    /** One of 32 driver streams per device and priority, assigned in turn: other owners may share it. */
    SHARED(Constants.STREAM_SHARED),
    /** A driver stream of its own, which is destroyed at the end instead of being kept for reuse. */
    DEDICATED(Constants.STREAM_DEDICATED),
    // End of the generated list.
    ;

    final int bit;

    StreamFlag(int bit) {
        this.bit = bit;
    }

    static Set<StreamFlag> of(int bits) {
        return Call.flags(StreamFlag.class, bits, flag -> flag.bit);
    }
}
