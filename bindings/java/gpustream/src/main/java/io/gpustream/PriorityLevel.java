// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

/** Priorities of streams without a device's numbers: {@link StreamBuilder#priority(PriorityLevel)}. */
public enum PriorityLevel {
    /** The highest priority that the device has. */
    HIGH(Integer.MIN_VALUE),
    /** Priority 0, as streams have it that are made without one. */
    NORMAL(0),
    /** The lowest priority that the device has. */
    LOW(Integer.MAX_VALUE);

    /** Clamped by the library. */
    final int priority;

    PriorityLevel(int priority) {
        this.priority = priority;
    }
}
