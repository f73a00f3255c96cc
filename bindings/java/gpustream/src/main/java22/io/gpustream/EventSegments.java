// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import java.lang.foreign.MemorySegment;

/** The part of {@link Event} that needs java.lang.foreign: from Java 22 on. */
abstract class EventSegments {
    EventSegments() {}

    /** The driver's handle; 0 before the first record or export. */
    public abstract long nativeHandle();

    /** The driver's handle as a pointer, to pass to functions called through java.lang.foreign. See nativeHandle. */
    public MemorySegment asParameter() {
        return MemorySegment.ofAddress(nativeHandle());
    }
}
