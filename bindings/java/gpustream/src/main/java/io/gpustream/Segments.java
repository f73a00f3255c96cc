// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import java.nio.ByteBuffer;

/**
 * Checks of memory that arenas of java.lang.foreign own: the archive holds a second form of this class for Java 22 and
 * newer. Before, there are no arenas, and a buffer's memory lives as long as the buffer.
 */
final class Segments {
    private Segments() {}

    static void requireAlive(ByteBuffer buffer, String name) {
        // Nothing can have ended it.
    }
}
