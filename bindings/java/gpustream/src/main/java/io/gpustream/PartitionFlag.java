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
    /**
     * A dry run: {@code Partition.info()} tells what each partition would have, and none has streams or takes resources.
     */
    PLAN(Constants.PARTITION_PLAN),
    /** Work queues that no other such partition uses, where the driver has enough of them; driver of CUDA 13.1. */
    QUEUES(Constants.PARTITION_QUEUES),
    /**
     * Times 1 to 255: so many multiprocessors run together, as large clusters need, and are the unit; driver of CUDA 13.1.
     */
    COSCHEDULED(Constants.PARTITION_COSCHEDULED),
    /** Times 1 to 32767: so many streams of the partition are expected to work at a time; driver of CUDA 13.1. */
    CONCURRENCY(Constants.PARTITION_CONCURRENCY),
    // End of the generated list.
    ;

    final int bit;

    PartitionFlag(int bit) {
        this.bit = bit;
    }
}
