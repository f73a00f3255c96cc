// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import io.gpustream.internal.Layouts;
import io.gpustream.internal.Native;
import io.gpustream.internal.Scratch;
import io.gpustream.internal.Struct;
import java.util.Optional;

/**
 * What a node of a graph does, as it was added. A field that does not apply to the node's kind, or is unknown for a node of
 * a capture, is 0 or empty.
 *
 * @param kind what it does
 * @param condition of a conditional node, its type
 * @param bodyCount of a conditional node, the number of its bodies
 * @param predecessorCount number of nodes it waits for
 * @param successorCount number of nodes that wait for it
 * @param target address that a copy or a fill writes to
 * @param source address that a copy reads from, or of the word that sets a condition
 * @param bytes size of a copy or a fill, bytes
 * @param value the byte of a fill
 * @param launch geometry of a kernel
 * @param kernelName name of a kernel, at most 127 bytes of it
 */
public record NodeInfo(
        NodeKind kind,
        Optional<ConditionKind> condition,
        int bodyCount,
        long predecessorCount,
        long successorCount,
        long target,
        long source,
        long bytes,
        int value,
        Optional<LaunchConfig> launch,
        String kernelName) {

    /** The caller keeps the graph's object reachable. */
    static NodeInfo of(long graph, long node) {
        Scratch scratch = Scratch.get();
        Struct info = Layouts.NODE_PARAMS;
        Failure.check(Native.CALLS.graphNodeInfo(graph, node, info.prepare(scratch)));
        int condition = info.getInt(scratch, "condition_kind");
        NodeKind kind = NodeKind.of(info.getInt(scratch, "kind"));
        return new NodeInfo(
                kind,
                kind == NodeKind.CONDITION && condition >= 0 && condition < ConditionKind.values().length
                        ? Optional.of(ConditionKind.values()[condition])
                        : Optional.empty(),
                info.getInt(scratch, "body_count"),
                info.getLong(scratch, "predecessor_count"),
                info.getLong(scratch, "successor_count"),
                info.getLong(scratch, "dst"),
                info.getLong(scratch, "src"),
                info.getLong(scratch, "bytes"),
                info.getInt(scratch, "value"),
                info.getInt(scratch, "grid_x") == 0 ? Optional.empty() : Optional.of(launch(scratch, info)),
                info.getText(scratch, "name"));
    }

    private static LaunchConfig launch(Scratch scratch, Struct info) {
        return new LaunchConfig(
                info.getInt(scratch, "grid_x"),
                info.getInt(scratch, "grid_y"),
                info.getInt(scratch, "grid_z"),
                info.getInt(scratch, "block_x"),
                info.getInt(scratch, "block_y"),
                info.getInt(scratch, "block_z"),
                info.getInt(scratch, "shared_memory_bytes"));
    }
}
