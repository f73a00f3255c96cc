// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import io.gpustream.internal.Constants;
import java.util.Set;

/** How an event was made. */
public enum EventFlag {
    // Generated list: scripts/generate writes it from include/gpustream.h.
    /** Takes a time stamp. On CUDA a timed record takes several times as long as an untimed one. */
    TIMING(Constants.EVENT_TIMING),
    /** {@code Event.synchronize()} sleeps instead of spinning. */
    BLOCKING(Constants.EVENT_BLOCKING),
    /** Can be exported to other processes. Excludes {@link EventFlag#TIMING}. */
    INTERPROCESS(Constants.EVENT_INTERPROCESS),
    /** In a stream capture, record and wait, also a wait before any record, become nodes of the graph, not edges. */
    EXTERNAL(Constants.EVENT_EXTERNAL),
    // End of the generated list.
    ;

    final int bit;

    EventFlag(int bit) {
        this.bit = bit;
    }

    static Set<EventFlag> of(int bits) {
        return Call.flags(EventFlag.class, bits, flag -> flag.bit);
    }
}
