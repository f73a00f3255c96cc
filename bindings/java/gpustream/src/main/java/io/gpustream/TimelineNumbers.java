// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import io.gpustream.internal.Native;
import io.gpustream.internal.Scratch;

/**
 * Where timelines come from, by the library's numbers of them. A number that is returned has a reference, which is the caller's.
 */
final class TimelineNumbers {
    private TimelineNumbers() {}

    static long create(int device, long initial, int flags) {
        Scratch scratch = Scratch.get();
        Failure.check(Native.CALLS.timelineCreate(device, initial, flags, scratch.address));
        return scratch.getLong();
    }
}
