// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import java.util.EnumSet;
import java.util.Set;

/** How an event was made. */
public enum EventFlag {
    /** Takes a time stamp. On CUDA a timed record costs the driver several times an untimed one. */
    TIMING(1),
    /** {@link Event#synchronize()} sleeps instead of spinning. */
    BLOCKING(2),
    /** Can be exported to other processes. Excludes {@link #TIMING}. */
    INTERPROCESS(4),
    /** In a stream capture, record and wait become nodes of the graph instead of edges inside it. */
    EXTERNAL(8);

    final int bit;

    EventFlag(int bit) {
        this.bit = bit;
    }

    static Set<EventFlag> of(int bits) {
        Set<EventFlag> flags = EnumSet.noneOf(EventFlag.class);
        for (EventFlag flag : values()) {
            if ((bits & flag.bit) != 0) {
                flags.add(flag);
            }
        }
        return Set.copyOf(flags);
    }
}
