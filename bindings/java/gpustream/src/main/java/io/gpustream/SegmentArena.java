// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

/**
 * What ends the segments of {@link HostMemory} where Java has java.lang.foreign: the archive holds another form of this
 * class for Java 22 and newer. In this one there is nothing.
 */
final class SegmentArena {
    void close() {
        // There are no segments.
    }
}
