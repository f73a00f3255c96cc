// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import io.gpustream.internal.Native;
import java.nio.ByteBuffer;

/**
 * An order that the {@link OrderingChecker} cannot see: threads that pass on completed work by locks and queues. Each
 * thread calls {@link #handover} where it holds the lock, or before it hands over and after it has received. The library
 * serialises calls of several threads.
 */
public final class CheckClock {
    private final ByteBuffer number = ByteBuffer.allocateDirect(Long.BYTES);

    /** Creates a clock that no thread has used. */
    public CheckClock() {}

    /** Hands over: the calling thread knows what earlier callers knew, and leaves what it knows. */
    public void handover() {
        Failure.check(Native.CALLS.checkHandover(Native.BRIDGE.addressOf(number)), this);
    }
}
