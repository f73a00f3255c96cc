// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import io.gpustream.internal.Native;
import io.gpustream.internal.Scratch;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Objects;

/** One kernel of a {@link KernelModule}, closed with it. Any thread may call any method. */
public final class Kernel {
    private final LoadedModule module;
    private final String name;
    private final long number;

    Kernel(LoadedModule module, String name, long number) {
        this.module = module;
        this.name = name;
        this.number = number;
    }

    /**
     * Submits the kernel to a stream. Does not block. Memory among the arguments must stay open until it has run.
     *
     * @param config blocks, threads and shared memory
     * @param stream a stream of the module's device
     * @param arguments one per parameter: {@link Memory} (its address), Integer, Long, Float, Double, Short or Byte.
     *     Number and sizes must match the kernel's parameters, which is not checked
     * @throws GpuStreamException INVALID_ARGUMENT (beyond the device's limits), DEVICE_MISMATCH (the stream is of
     *     another device)
     * @throws IllegalArgumentException if an argument is of another class
     * @throws IllegalStateException if module, stream or memory is closed
     */
    public void launch(LaunchConfig config, Stream stream, Object... arguments) {
        Objects.requireNonNull(config, "config");
        Objects.requireNonNull(stream, "stream");
        Objects.requireNonNull(arguments, "arguments");
        module.leak.requireUsable();
        ByteBuffer block = block(arguments);
        // A CUDA driver copies the values. The host backend reads those of a kernel that does not state their sizes
        // when the kernel runs.
        if (block != null && module.device.backend() == Backend.HOST) {
            stream.submitKeeping(block, onStream -> submit(config, onStream, block));
        } else {
            Failure.check(submit(config, stream.handle.use(), block));
        }
        Reference.reachabilityFence(stream);
        Reference.reachabilityFence(module);
    }

    private int submit(LaunchConfig config, long stream, ByteBuffer block) {
        long values = block == null ? 0 : Native.BRIDGE.addressOf(block);
        int status = Native.CALLS.kernelLaunch(number, config.write(Scratch.get()), values, stream);
        Reference.reachabilityFence(block);
        return status;
    }

    /** {@return the name it was found by} */
    public String name() {
        return name;
    }

    // The pointers, then the values they point to, eight bytes each.
    private static ByteBuffer block(Object[] arguments) {
        int count = arguments.length;
        if (count == 0) {
            return null;
        }
        ByteBuffer block = ByteBuffer.allocateDirect(16 * count).order(ByteOrder.nativeOrder());
        long values = Native.BRIDGE.addressOf(block) + 8L * count;
        for (int i = 0; i < count; i++) {
            block.putLong(8 * i, values + 8L * i);
            put(block, 8 * (count + i), arguments[i], i);
        }
        return block;
    }

    private static void put(ByteBuffer block, int at, Object argument, int index) {
        Objects.requireNonNull(argument, () -> "arguments[" + index + "]");
        if (argument instanceof Memory memory) {
            block.putLong(at, memory.address());
        } else if (argument instanceof Integer value) {
            block.putInt(at, value);
        } else if (argument instanceof Long value) {
            block.putLong(at, value);
        } else if (argument instanceof Float value) {
            block.putFloat(at, value);
        } else if (argument instanceof Double value) {
            block.putDouble(at, value);
        } else if (argument instanceof Short value) {
            block.putShort(at, value);
        } else if (argument instanceof Byte value) {
            block.put(at, value);
        } else {
            throw new IllegalArgumentException(
                    "arguments[" + index + "] is a " + argument.getClass().getName() + ", which no kernel can take");
        }
    }

    /** {@return the name} */
    @Override
    public String toString() {
        return "Kernel[" + name + "]";
    }
}
