// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import java.lang.ref.Reference;
import java.util.List;

/**
 * A block whose accesses {@link OrderingChecker#access} has declared. It keeps their memory reachable until it is closed, and
 * does nothing else: what has been declared stays so.
 */
public final class CheckedAccess implements AutoCloseable {
    private final List<Memory> reads;
    private final List<Memory> writes;

    CheckedAccess(List<Memory> reads, List<Memory> writes) {
        this.reads = reads;
        this.writes = writes;
    }

    /** Ends the block. Any thread may call it, also again; nothing happens. */
    @Override
    public void close() {
        Reference.reachabilityFence(reads);
        Reference.reachabilityFence(writes);
    }
}
