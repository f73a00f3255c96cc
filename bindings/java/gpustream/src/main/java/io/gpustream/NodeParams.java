// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import io.gpustream.internal.Layouts;
import io.gpustream.internal.Scratch;
import io.gpustream.internal.Struct;

/** What a node of a graph does. A call that takes it has it written into the scratch memory, before the outputs. */
final class NodeParams {
    private static final Struct PARAMS = Layouts.NODE_PARAMS;

    private interface Members {
        void put(Scratch scratch);
    }

    private final NodeKind kind;
    private final Members members;

    private NodeParams(NodeKind kind, Members members) {
        this.kind = kind;
        this.members = members;
    }

    /** Returns its address. */
    long write(Scratch scratch) {
        long address = PARAMS.prepare(scratch);
        PARAMS.putInt(scratch, "kind", kind.ordinal());
        members.put(scratch);
        return address;
    }

    static NodeParams empty() {
        return new NodeParams(NodeKind.EMPTY, scratch -> {});
    }

    static NodeParams host(long function, long argument) {
        return new NodeParams(NodeKind.HOST, scratch -> {
            PARAMS.putLong(scratch, "host_function", function);
            PARAMS.putLong(scratch, "host_argument", argument);
        });
    }

    /** The caller keeps the arguments reachable. */
    static NodeParams kernel(long kernel, LaunchConfig config, KernelArguments arguments) {
        long values = arguments.address();
        return new NodeParams(NodeKind.KERNEL, scratch -> {
            PARAMS.putLong(scratch, "kernel", kernel);
            PARAMS.putLong(scratch, "arguments", values);
            PARAMS.putInt(scratch, "grid_x", config.gridX());
            PARAMS.putInt(scratch, "grid_y", config.gridY());
            PARAMS.putInt(scratch, "grid_z", config.gridZ());
            PARAMS.putInt(scratch, "block_x", config.blockX());
            PARAMS.putInt(scratch, "block_y", config.blockY());
            PARAMS.putInt(scratch, "block_z", config.blockZ());
            PARAMS.putInt(scratch, "shared_memory_bytes", config.sharedMemoryBytes());
            LaunchAttributes attributes = config.attributes();
            PARAMS.putInt(scratch, "flags", attributes.flags);
            PARAMS.putInt(scratch, "cluster_x", attributes.clusterX);
            PARAMS.putInt(scratch, "cluster_y", attributes.clusterY);
            PARAMS.putInt(scratch, "cluster_z", attributes.clusterZ);
            PARAMS.putInt(scratch, "priority", attributes.priority().orElse(0));
        });
    }

    static NodeParams copy(Side target, Side source) {
        return copy(target.address(), source.address(), Side.common(target.bytes(), source.bytes()));
    }

    static NodeParams copy(long target, long source, long bytes) {
        return new NodeParams(NodeKind.MEMCPY, scratch -> {
            PARAMS.putLong(scratch, "dst", target);
            PARAMS.putLong(scratch, "src", source);
            PARAMS.putLong(scratch, "bytes", bytes);
        });
    }

    static NodeParams fill(long target, int value, long bytes) {
        return new NodeParams(NodeKind.MEMSET, scratch -> {
            PARAMS.putLong(scratch, "dst", target);
            PARAMS.putInt(scratch, "value", value);
            PARAMS.putLong(scratch, "bytes", bytes);
        });
    }

    static NodeParams event(NodeKind kind, long event) {
        return new NodeParams(kind, scratch -> PARAMS.putLong(scratch, "event", event));
    }

    static NodeParams graph(long child) {
        return new NodeParams(NodeKind.GRAPH, scratch -> PARAMS.putLong(scratch, "graph", child));
    }

    static NodeParams condition(ConditionKind kind, int initial, int bodies) {
        return new NodeParams(NodeKind.CONDITION, scratch -> {
            PARAMS.putInt(scratch, "condition_kind", kind.ordinal());
            PARAMS.putInt(scratch, "initial", initial);
            PARAMS.putInt(scratch, "body_count", bodies);
        });
    }

    static NodeParams setCondition(long owner, long condition, long word) {
        return new NodeParams(NodeKind.SET_CONDITION, scratch -> {
            PARAMS.putLong(scratch, "graph", owner);
            PARAMS.putLong(scratch, "condition", condition);
            PARAMS.putLong(scratch, "src", word);
        });
    }
}
