// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import io.gpustream.internal.Constants;
import io.gpustream.internal.Layouts;
import io.gpustream.internal.Native;
import io.gpustream.internal.Scratch;
import java.lang.ref.Reference;

/**
 * Where a kernel's random numbers begin, in sequences of Philox 4x32-10: arguments for the kernel. A value.
 *
 * <p>Each thread of the kernel draws from a sequence of its own, usually that of its number in the grid: what
 * {@code curand_init} takes are seed, sequence and offset. Outside captures {@link #seed} and {@link #offset} are known now;
 * in a capture the kernel reads them from the addresses, where each launch of the graph writes others:
 *
 * <pre>{@code
 * uint64_t seed = captured ? *seed_address : seed;
 * uint64_t offset = captured ? *offset_address + offset_in_graph : offset;
 * }</pre>
 *
 * @param captured whether the stream is being captured
 * @param seed the key, 64 bits; 0 in a capture
 * @param offset the position in each sequence, in numbers of 32 bits, unsigned, a multiple of 4; 0 in a capture
 * @param seedAddress address for kernels of the seed, 64 bits; 0 outside captures. The memory is the library's, and lives as
 *     long as the graph and its executables
 * @param offsetAddress address for kernels of the offset at which the launch of the graph begins, 64 bits; 0 outside captures
 * @param offsetInGraph what a captured kernel adds to the offset that it reads; 0 outside captures
 */
public record Philox(
        boolean captured, long seed, long offset, long seedAddress, long offsetAddress, long offsetInGraph) {
    /**
     * Reserves random numbers for a kernel that is about to be submitted to a stream. The offset of the device's {@link
     * RandomState} advances by as many, rounded up to a multiple of 4. Reservations of several threads never overlap. Any
     * thread. Does not block.
     *
     * <p>While the stream is being captured, the graph reserves instead, and the device's state stays as it is. Each launch
     * of an executable of the graph takes the sum of the capture's reservations, and so draws new numbers. The body of a
     * condition cannot be captured with random numbers.
     *
     * @param count numbers of 32 bits for each thread of the kernel, 0 to 2^62
     * @param stream the kernel's
     * @return where they begin
     * @throws GpuStreamException INVALID_ARGUMENT (another count), CAPTURING (other code began the capture, or it is into the
     *     body of a condition; it stays intact), NOT_SUPPORTED (in a capture, and the device has no stream memory operations)
     */
    public static Philox reserve(long count, Stream stream) {
        Philox philox = of(count, HandleOwner.numberOf(stream, "stream"));
        Reference.reachabilityFence(stream);
        return philox;
    }

    /**
     * Reserves random numbers for a kernel of the calling thread's current stream, as {@link #reserve(long, Stream)} does.
     *
     * @param count numbers of 32 bits for each thread of the kernel, 0 to 2^62
     * @return where they begin
     */
    public static Philox reserve(long count) {
        return of(count, Constants.STREAM_CURRENT);
    }

    private static Philox of(long count, long stream) {
        Scratch scratch = Scratch.get();
        Failure.check(Native.CALLS.rngReserve(stream, count, Layouts.PHILOX.prepare(scratch)));
        return new Philox(
                Layouts.PHILOX.getInt(scratch, "captured") != 0,
                Layouts.PHILOX.getLong(scratch, "seed"),
                Layouts.PHILOX.getLong(scratch, "offset"),
                Layouts.PHILOX.getLong(scratch, "seed_address"),
                Layouts.PHILOX.getLong(scratch, "offset_address"),
                Layouts.PHILOX.getLong(scratch, "offset_in_graph"));
    }
}
