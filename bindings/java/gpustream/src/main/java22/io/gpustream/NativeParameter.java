// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import java.lang.foreign.MemorySegment;

/** The part of {@link Stream} and {@link Event} that needs java.lang.foreign: from Java 22 on. */
interface NativeParameter {
    /** {@return the driver's handle} */
    long nativeHandle();

    /**
     * The driver's handle as a pointer, to pass to functions called through java.lang.foreign.
     *
     * @return a segment of size 0 at the address {@code nativeHandle()}, valid and refused as that is
     */
    default MemorySegment asParameter() {
        return MemorySegment.ofAddress(nativeHandle());
    }
}
