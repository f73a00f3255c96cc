// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import io.gpustream.internal.Native;
import io.gpustream.internal.Scratch;
import java.nio.ByteBuffer;
import java.util.Objects;

/**
 * A kernel's arguments in native memory: the pointers, then the values they point to, eight bytes each. A CUDA driver
 * copies the values. The host backend reads those of a kernel that does not state their sizes when the kernel runs.
 */
final class KernelArguments {
    private final ByteBuffer block; // null: there are none

    private KernelArguments(ByteBuffer block) {
        this.block = block;
    }

    static KernelArguments of(Object[] arguments) {
        int count = arguments.length;
        if (count == 0) {
            return new KernelArguments(null);
        }
        ByteBuffer block = Scratch.direct(16 * count);
        long values = Native.BRIDGE.addressOf(block) + 8L * count;
        for (int i = 0; i < count; i++) {
            block.putLong(8 * i, values + 8L * i);
            put(block, 8 * (count + i), arguments[i], i);
        }
        return new KernelArguments(block);
    }

    /** The caller keeps this object reachable while native code uses the address. */
    long address() {
        return block == null ? 0 : Native.BRIDGE.addressOf(block);
    }

    boolean isEmpty() {
        return block == null;
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
}
