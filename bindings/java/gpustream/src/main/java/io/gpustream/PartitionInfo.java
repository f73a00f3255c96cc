// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import io.gpustream.internal.Layouts;
import io.gpustream.internal.Native;
import io.gpustream.internal.Scratch;

/**
 * What a {@link Partition} has. The numbers are those of its creation, but for the streams. On the host backend
 * multiprocessors are worker threads.
 *
 * @param device the device
 * @param smCount multiprocessors that the partition has, as the driver counts them
 * @param requestedSmCount what {@link Partition#create} was asked for
 * @param deviceSmCount multiprocessors that the device has
 * @param unitSmCount what partitions of the device are made of, multiprocessors: smCount is a multiple of it, or all that the
 *     device has
 * @param streams streams of the partition that existed at the time of the call
 * @param nativeHandle the driver's partition, a CUgreenCtx, which stays the library's; 0 on the host backend
 */
public record PartitionInfo(
        Device device,
        int smCount,
        int requestedSmCount,
        int deviceSmCount,
        int unitSmCount,
        long streams,
        long nativeHandle) {
    /** The caller keeps the partition's object reachable. */
    static PartitionInfo of(long partition) {
        Scratch scratch = Scratch.get();
        Failure.check(Native.CALLS.partitionInfo(partition, Layouts.PARTITION_SUMMARY.prepare(scratch)));
        return new PartitionInfo(
                Device.fromNumber(Layouts.PARTITION_SUMMARY.getInt(scratch, "device")),
                Layouts.PARTITION_SUMMARY.getInt(scratch, "sm_count"),
                Layouts.PARTITION_SUMMARY.getInt(scratch, "requested_sm_count"),
                Layouts.PARTITION_SUMMARY.getInt(scratch, "device_sm_count"),
                Layouts.PARTITION_SUMMARY.getInt(scratch, "unit_sm_count"),
                Layouts.PARTITION_SUMMARY.getLong(scratch, "streams"),
                Layouts.PARTITION_SUMMARY.getLong(scratch, "native"));
    }
}
