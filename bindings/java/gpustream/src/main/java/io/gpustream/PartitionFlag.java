// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import io.gpustream.internal.Constants;

/** How {@link Partition#create} divides a device. */
public enum PartitionFlag {
    // Generated list: scripts/generate writes it from include/gpustream.h.
    /** A number that is no multiple of the device's unit is refused instead of being rounded up. */
    EXACT(Constants.PARTITION_EXACT),
    /** The driver's smallest units, which gives up what neighbouring multiprocessors do together, as large clusters. */
    FINE(Constants.PARTITION_FINE),
    // End of the generated list.
    ;

    final int bit;

    PartitionFlag(int bit) {
        this.bit = bit;
    }
}
