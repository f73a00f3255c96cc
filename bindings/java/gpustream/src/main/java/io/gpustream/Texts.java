// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

/** Texts of the program's on their way to the library. */
final class Texts {
    private Texts() {}

    /** As C wants it. {@code what} is the parameter's name. */
    static ByteBuffer terminated(String text, String what) {
        if (Objects.requireNonNull(text, what).indexOf('\0') >= 0) {
            throw new IllegalArgumentException(what + " contains a NUL");
        }
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocateDirect(bytes.length + 1).put(0, bytes);
    }
}
