// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import io.gpustream.internal.Constants;
import java.util.EnumSet;
import java.util.Set;

/** How a stream was made. */
public enum StreamFlag {
    /** Joins the implicit order of the device's default stream. */
    BLOCKING(Constants.STREAM_BLOCKING),
    /** From a pool of 32 driver streams per device and priority, handed out in turn: others may use the same one. */
    SHARED(Constants.STREAM_SHARED),
    /** A driver stream of its own that is really destroyed in the end, instead of being kept for reuse. */
    DEDICATED(Constants.STREAM_DEDICATED);

    final int bit;

    StreamFlag(int bit) {
        this.bit = bit;
    }

    static Set<StreamFlag> of(int bits) {
        Set<StreamFlag> flags = EnumSet.noneOf(StreamFlag.class);
        for (StreamFlag flag : values()) {
            if ((bits & flag.bit) != 0) {
                flags.add(flag);
            }
        }
        return Set.copyOf(flags);
    }
}
