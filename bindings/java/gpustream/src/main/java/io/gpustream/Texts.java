// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import io.gpustream.internal.Native;
import io.gpustream.internal.Scratch;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

/** Texts of the program's on their way to the library, and of the library's on their way to the program. */
final class Texts {
    private Texts() {}

    /** As C wants it. {@code what} is the parameter's name. */
    static ByteBuffer terminated(String text, String what) {
        if (Objects.requireNonNull(text, what).indexOf('\0') >= 0) {
            throw new IllegalArgumentException(what + " contains a NUL");
        }
        return terminated(text.getBytes(StandardCharsets.UTF_8));
    }

    static ByteBuffer terminated(byte[] bytes) {
        return ByteBuffer.allocateDirect(bytes.length + 1).put(0, bytes);
    }

    /** A text whose address and size the native side has just written to the scratch memory. It is ended here. */
    static String taken(Scratch scratch) {
        long address = scratch.getLong();
        try {
            byte[] text = new byte[Math.toIntExact(scratch.getLong(8))];
            Native.BRIDGE.bufferOf(address, text.length).get(text);
            return new String(text, StandardCharsets.UTF_8);
        } finally {
            Native.BRIDGE.free(address);
        }
    }
}
