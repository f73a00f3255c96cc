// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

/** What a node of a graph does. */
public enum NodeKind {
    // Generated list: scripts/generate writes it from include/gpustream.h.
    /** A kind that this version has no name for. */
    OTHER,
    /** Does nothing; others are ordered by it. */
    EMPTY,
    /** A host function, by the rules of {@code Stream.launchHost()}. */
    HOST,
    /** A kernel. */
    KERNEL,
    /** A copy between host and device memory, in any combination; the ranges do not overlap. */
    MEMCPY,
    /** A fill of device memory, or of memory of {@code HostMemory.allocate()}, with a byte. */
    MEMSET,
    /** A record of an event, for which streams may wait once the launch is submitted. */
    RECORD,
    /** A wait for the record that an event has when the launch is submitted, if it has one. */
    WAIT,
    /** A graph inside the graph. */
    GRAPH,
    /** A conditional node, which runs bodies. */
    CONDITION,
    /** A stream-ordered allocation. */
    MALLOC,
    /** A stream-ordered release of memory. */
    FREE,
    /** Sets the value of a condition from a word in memory. On CUDA it is a kernel, and is reported as one. */
    SET_CONDITION,
    // End of the generated list.
    ;

    static NodeKind of(int code) {
        return code > 0 && code < values().length ? values()[code] : OTHER;
    }
}
