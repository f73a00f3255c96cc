// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import io.gpustream.internal.Native;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Resets of devices, by the library's numbers with a backend. The page-locked memory of a device ends with its context, so
 * the segments of it end before, and there are no new ones.
 */
final class ResetDevices {
    /** How many threads are resetting a device. Guards all that is below, too. */
    private static final Map<Integer, Integer> RESETTING = new HashMap<>();

    /** Devices that do not come back. */
    private static final Set<Integer> GONE = new HashSet<>();

    /** What ends the segments of a device's memory: one function for each memory that has segments. */
    private static final Map<Integer, Set<Runnable>> ENDS = new HashMap<>();

    private ResetDevices() {}

    /** Throws IllegalStateException if memory of the device has ended with it, or is about to. */
    static void requireMemory(int device) {
        synchronized (RESETTING) {
            if (GONE.contains(device) || RESETTING.containsKey(device)) {
                throw new IllegalStateException("the memory has ended with the reset of its device");
            }
        }
    }

    /** Memory gets its first segment; throws IllegalStateException as {@link #requireMemory}. */
    static void opened(int device, Runnable end) {
        synchronized (RESETTING) {
            requireMemory(device);
            ENDS.computeIfAbsent(device, absent -> new HashSet<>()).add(end);
        }
    }

    /** It has no segments any more. */
    static void closed(int device, Runnable end) {
        synchronized (RESETTING) {
            ENDS.computeIfPresent(device, (same, ends) -> {
                ends.remove(end);
                return ends.isEmpty() ? null : ends;
            });
        }
    }

    /** Ends the segments and resets the device. If either fails and the device lives on, its memory may have new ones. */
    static void reset(int device) {
        List<Runnable> ends;
        synchronized (RESETTING) {
            RESETTING.merge(device, 1, Integer::sum);
            ends = List.copyOf(ENDS.getOrDefault(device, Set.of()));
        }
        try {
            ends.forEach(Runnable::run);
            Failure.check(Native.CALLS.deviceReset(device));
        } finally {
            boolean gone = Native.CALLS.deviceCheck(device) == Status.CONTEXT_LOST.code();
            synchronized (RESETTING) {
                RESETTING.computeIfPresent(device, (same, threads) -> threads == 1 ? null : threads - 1);
                if (gone) {
                    GONE.add(device);
                }
            }
        }
    }
}
