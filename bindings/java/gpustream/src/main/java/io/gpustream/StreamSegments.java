// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import java.nio.ByteBuffer;

/**
 * What {@link Stream} has beside its own methods where Java has java.lang.foreign: the archive holds another form of
 * this class for Java 22 and newer. In this one there is nothing to add or to check.
 */
abstract class StreamSegments extends StreamWork {
    StreamSegments(long number, boolean owned) {
        super(number, owned);
    }

    @Override
    final void requireAlive(ByteBuffer buffer, String name) {
        // There are no arenas: a buffer's memory lives as long as the buffer.
    }
}
