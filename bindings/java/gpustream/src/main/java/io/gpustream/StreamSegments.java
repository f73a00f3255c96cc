// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

/**
 * What {@link Stream} has beside its own methods where Java has java.lang.foreign: the archive holds another form of
 * this class for Java 22 and newer. In this one there is nothing.
 */
abstract class StreamSegments extends StreamWork {
    StreamSegments(long number, boolean owned) {
        super(number, owned);
    }
}
