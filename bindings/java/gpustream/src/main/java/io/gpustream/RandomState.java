// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import io.gpustream.internal.Native;
import io.gpustream.internal.Scratch;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Objects;

/**
 * The random state of a device: a seed and an offset, from which kernels draw numbers of Philox 4x32-10. A value.
 *
 * <pre>{@code
 * RandomState before = RandomState.of(device);
 * RandomState.seed(42, device);
 * Philox numbers = Philox.reserve(5, stream);   // for a kernel each of whose threads draws 5 numbers
 * before.set(device);
 * }</pre>
 *
 * <p>The library draws no numbers itself. Kernels do, with {@code gpustream_philox.h}, cuRAND or a generator of their own,
 * from where {@link Philox#reserve} says. A device begins with PyTorch's default seed, 67280421310721, at offset 0. All
 * languages of the process share the states.
 *
 * <p>Any thread may call any method; none blocks. Methods that call the library throw {@link GpuStreamException} with
 * INVALID_DEVICE if there is no such device, and with the statuses that that class lists for all methods.
 *
 * @param seed the key, 64 bits; any value
 * @param offset where the next reservation begins, in numbers of 32 bits, unsigned; a multiple of 4
 */
public record RandomState(long seed, long offset) {
    /** Size of {@link #toByteArray()}. */
    public static final int BYTES = 16;

    /**
     * Seeds a device's random state and sets its offset to 0, for reservations and launches of graphs that come later.
     *
     * @param seed the key, 64 bits; any value
     * @param device the device
     */
    public static void seed(long seed, Device device) {
        Failure.check(Native.CALLS.rngSetState(Device.numberOf(device), seed, 0));
    }

    /**
     * {@return the random state of a device now; seed and offset are of one moment}
     *
     * @param device the device
     */
    public static RandomState of(Device device) {
        int number = Device.numberOf(device);
        Scratch scratch = Scratch.get();
        Failure.check(Native.CALLS.rngGetState(number, scratch.address, scratch.at(8)));
        return new RandomState(scratch.getLong(), scratch.getLong(8));
    }

    /**
     * Makes this the random state of a device: the next reservation begins there, and so does the next launch of a graph
     * that draws random numbers.
     *
     * @param device the device
     * @throws GpuStreamException INVALID_ARGUMENT (the offset is not a multiple of 4; nothing changes)
     */
    public void set(Device device) {
        Failure.check(Native.CALLS.rngSetState(Device.numberOf(device), seed, offset));
    }

    /**
     * {@return the state that {@link #toByteArray()} or torch.cuda.get_rng_state() wrote}
     *
     * @param bytes 16 bytes, copied
     * @throws IllegalArgumentException if it does not have 16 bytes
     */
    public static RandomState of(byte[] bytes) {
        if (Objects.requireNonNull(bytes, "bytes").length != BYTES) {
            throw new IllegalArgumentException("a random state has 16 bytes, not " + bytes.length);
        }
        ByteBuffer numbers = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        return new RandomState(numbers.getLong(0), numbers.getLong(8));
    }

    /** {@return the 16 bytes that torch.cuda.get_rng_state() returns for this state} */
    public byte[] toByteArray() {
        return ByteBuffer.allocate(BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(seed)
                .putLong(offset)
                .array();
    }
}
