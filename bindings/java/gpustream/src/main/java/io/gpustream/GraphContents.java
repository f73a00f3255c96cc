// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import io.gpustream.internal.Native;
import io.gpustream.internal.Scratch;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** What a graph is made of. Callers keep the graph's object reachable. */
final class GraphContents {
    private static final int FIRST_ROOM = 64;

    private GraphContents() {}

    /** A call that lists numbers: how many fit, where to, and where to put their count. */
    interface Lister {
        int list(long out, long capacity, long outCount);
    }

    /** All numbers that a call lists; there may be more from call to call, as other threads add nodes. */
    static long[] list(Lister lister) {
        Scratch scratch = Scratch.get();
        long room = FIRST_ROOM;
        while (true) {
            ByteBuffer memory = ByteBuffer.allocateDirect(Math.toIntExact(8 * room)).order(ByteOrder.nativeOrder());
            Failure.check(lister.list(Native.BRIDGE.addressOf(memory), room, scratch.address));
            long count = scratch.getLong();
            if (count <= room) {
                long[] numbers = new long[(int) count];
                memory.asLongBuffer().get(numbers);
                return numbers;
            }
            room = count;
        }
    }
}
