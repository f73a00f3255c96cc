// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import io.gpustream.internal.Native;
import java.nio.ByteBuffer;

/** Checks of the two sides of a copy. */
final class Ranges {
    private Ranges() {}

    /** The size of both sides, bytes. Throws IllegalArgumentException if they differ. */
    static long common(long target, long source) {
        if (target != source) {
            throw new IllegalArgumentException("target has " + target + " bytes, source has " + source);
        }
        return target;
    }

    static void requireWritable(ByteBuffer buffer, String name) {
        if (buffer.isReadOnly()) {
            throw new IllegalArgumentException(name + " is read-only");
        }
    }

    /**
     * Address of the buffer's next byte.
     *
     * @throws IllegalArgumentException if it is not direct
     * @throws IllegalStateException if it belongs to a closed arena
     */
    static long addressOf(ByteBuffer buffer, String name) {
        if (!buffer.isDirect()) {
            throw new IllegalArgumentException(name + " is no direct buffer: the collector may move its bytes");
        }
        Segments.requireAlive(buffer, name);
        return Native.BRIDGE.addressOf(buffer) + buffer.position();
    }
}
