// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import io.gpustream.internal.Constants;

/** How {@link Partition#create} divides a device. */
public enum PartitionFlag implements PartitionOption {
    // Generated list: scripts/generate writes it from include/gpustream.h.
    /** A number that is no multiple of the device's unit is refused instead of being rounded up. */
    EXACT(Constants.PARTITION_EXACT),
    /** The driver's smallest units, which gives up what neighbouring multiprocessors do together, as large clusters. */
    FINE(Constants.PARTITION_FINE),
    /**
     * A dry run: {@code Partition.info()} reports what each partition would have. None has streams or takes resources.
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

    @Override
    public int bits() {
        return bit;
    }

    /**
     * {@return this flag with a number}, as in {@code PartitionFlag.COSCHEDULED.times(4)}.
     *
     * @param number for {@link #COSCHEDULED} 1 to 255, for {@link #CONCURRENCY} 1 to 32767
     * @throws IllegalArgumentException if the number is out of range, or the flag takes none
     */
    public PartitionOption times(int number) {
        int most = this == COSCHEDULED ? 255 : this == CONCURRENCY ? 32767 : 0;
        if (number < 1 || number > most) {
            throw new IllegalArgumentException(this + (most == 0 ? " takes no number" : " takes 1 to " + most));
        }
        return new Numbered(number * bit);
    }

    /** A flag with a number. */
    record Numbered(int bits) implements PartitionOption {}
}
