// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

/** How {@link Partition#create} divides a device: a {@link PartitionFlag}, or one {@link PartitionFlag#times} a number. */
public interface PartitionOption {
    /** {@return its bits in the flags of the C interface} */
    int bits();
}
