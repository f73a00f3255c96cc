// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import io.gpustream.internal.Layouts;
import io.gpustream.internal.Native;
import io.gpustream.internal.Scratch;
import java.nio.ByteBuffer;
import java.util.Objects;

/**
 * Nodes as an input of a call: in the thread's scratch memory as far as they fit. Reachable until the call has
 * returned.
 */
final class NodeNumbers {
    /** Where calls put their outputs in the scratch memory; what a node does lies before it. */
    static final int OUT = Layouts.NODE_PARAMS.size();

    private static final int FIRST = OUT + 8;
    private static final int FIT = (Scratch.BYTES - FIRST) / 8;

    final long address;
    final int count;
    private final ByteBuffer own; // only keeps the memory

    private NodeNumbers(long address, int count, ByteBuffer own) {
        this.address = address;
        this.count = count;
        this.own = own;
    }

    /** Errors name {@code parameter}. */
    static NodeNumbers of(Scratch scratch, GraphNode[] nodes, String parameter) {
        int count = Objects.requireNonNull(nodes, parameter).length;
        boolean fit = count <= FIT;
        ByteBuffer memory = fit ? scratch.buffer() : Scratch.direct(8 * count);
        int at = fit ? FIRST : 0;
        for (int i = 0; i < count; i++) {
            int index = i;
            GraphNode node = Objects.requireNonNull(nodes[i], () -> parameter + "[" + index + "]");
            memory.putLong(at + 8 * i, node.number);
        }
        return fit
                ? new NodeNumbers(scratch.at(FIRST), count, null)
                : new NodeNumbers(Native.BRIDGE.addressOf(memory), count, memory);
    }
}
