// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

/** How threads wait in blocking calls. The order of the constants is that of the C interface. */
public enum WaitMode {
    // Generated list: scripts/generate writes it from include/gpustream.h.
    /** As the driver does: on CUDA, spinning for most events and streams, sleeping for {@link EventFlag#BLOCKING}. */
    DRIVER,
    /** Keeps the processor busy until the work is done: the shortest delay. */
    SPIN,
    /** Sleeps until the driver wakes the thread: the least load. */
    BLOCK,
    /**
     * Learns how long the work of each stream takes. The thread sleeps for most of that time and spins shortly before its
     * end, for at most GPUSTREAM_WAIT_CPU percent of its wait.
     */
    ADAPTIVE,
    // End of the generated list.
}
