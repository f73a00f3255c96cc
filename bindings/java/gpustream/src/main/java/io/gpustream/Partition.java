// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import io.gpustream.internal.Native;
import io.gpustream.internal.Scratch;
import io.gpustream.internal.lifetime.Handle;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * A part of a device's multiprocessors. Work in its {@linkplain #stream() streams} runs there and nowhere else. On the host
 * backend a multiprocessor is a worker thread.
 *
 * <pre>{@code
 * List<Partition> parts = Partition.create(device, new int[] {16, 96});   // no multiprocessor is in both
 * Stream urgent = parts.get(0).stream(-1);
 * Stream batch = parts.get(1).stream();
 * }</pre>
 *
 * <p>Threads and errors are as for {@link Stream}. A partition has one owner, which is this object: {@link #close()}, or
 * its becoming unreachable, ends the partition without waiting. Its streams work on, and what they run on is released with
 * the last of them.
 */
public final class Partition extends HandleOwner {
    private Partition(long number, Scratch scratch) {
        super(Handle.Kind.PARTITION, number, scratch);
    }

    /**
     * Divides multiprocessors of a device into partitions that share none; a failure creates no partition. Each number is
     * rounded up to a multiple of the device's unit; {@link #info()} has the true one. Does not block, but for the first use
     * of a device.
     *
     * <p>Multiprocessors that no partition gets, and those of partitions, still serve all other streams of the device.
     * Partitions of separate calls may have some in common, so divide a device in one place of the program. On CUDA they are
     * green contexts.
     *
     * @param device the device
     * @param counts multiprocessors of each partition, at least 1; 1 to 1024 numbers
     * @param flags how
     * @return the partitions, in the order of counts
     * @throws GpuStreamException INVALID_ARGUMENT (no number or too many; one is below 1; together they do not fit, and the
     *     text says what would; one is no multiple of the unit with {@link PartitionFlag#EXACT}), INVALID_DEVICE,
     *     NOT_SUPPORTED (the driver is older than CUDA 12.5, or has no partitions of this device), UNAVAILABLE, OUT_OF_MEMORY,
     *     DRIVER, STICKY, CONTEXT_LOST, SYSTEM
     */
    public static List<Partition> create(Device device, int[] counts, PartitionOption... flags) {
        int number = Device.numberOf(device);
        int count = Objects.requireNonNull(counts, "counts").length;
        int bits = Call.bits(flags, PartitionOption::bits);
        // The library's numbers of the partitions, and the counts behind them. More of them than a thread's scratch memory has.
        ByteBuffer block = Scratch.direct(Math.multiplyExact(count, Long.BYTES + Integer.BYTES));
        int behind = count * Long.BYTES;
        for (int i = 0; i < count; i++) {
            block.putInt(behind + i * Integer.BYTES, counts[i]);
        }
        long address = Native.BRIDGE.addressOf(block);
        Failure.check(Native.CALLS.partitionCreate(number, address + behind, count, bits, address), block);
        Scratch scratch = Scratch.get();
        List<Partition> made = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            made.add(new Partition(block.getLong(i * Long.BYTES), scratch));
        }
        return List.copyOf(made);
    }

    /** {@return what the partition has} Does not block. */
    public PartitionInfo info() {
        PartitionInfo info = PartitionInfo.of(handle.use());
        Reference.reachabilityFence(this);
        return info;
    }

    /** {@return a new stream of the partition with priority 0, owned; otherwise as {@link #stream(int, StreamFlag...)}} */
    public Stream stream() {
        return stream(0);
    }

    /**
     * Creates a stream whose work runs on the partition's multiprocessors. In every other respect it is a stream of the
     * device. It has no order with the default stream, and stays valid when the partition has ended. Blocks only while the
     * driver makes a new one, which may wait for device work; not where the partition has kept one of a stream that has ended.
     *
     * @param priority lower is higher; clamped to {@link Device#priorityRange()}
     * @param flags none, or {@link StreamFlag#DEDICATED}
     * @return the stream, owned
     * @throws GpuStreamException INVALID_ARGUMENT (another flag), UNAVAILABLE, OUT_OF_MEMORY, DRIVER, STICKY, CONTEXT_LOST,
     *     SYSTEM, CAPTURING
     */
    public Stream stream(int priority, StreamFlag... flags) {
        int bits = Call.bits(flags, flag -> flag.bit);
        Scratch scratch = Scratch.get();
        Failure.check(Native.CALLS.streamCreateIn(handle.use(), priority, bits, scratch.address), this);
        return new Stream(scratch.getLong(), scratch);
    }
}
