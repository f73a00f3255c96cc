// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import java.util.function.IntSupplier;

/**
 * Ends the segments of {@link HostMemory} where Java has java.lang.foreign: the archive holds a second form of this
 * class for Java 22 and newer. This form is empty.
 */
final class SegmentArena {
    SegmentArena(IntSupplier device) {
        // Asked before the first segment.
    }

    void close() {
        // There are no segments.
    }
}
