// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import io.gpustream.internal.Layouts;
import io.gpustream.internal.Native;
import io.gpustream.internal.Scratch;
import io.gpustream.internal.Struct;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/** Copies that are submitted together, as the library takes them. */
final class CopyList {
    private static final Struct COPY = Layouts.COPY;
    private final List<Memory> targets;
    private final List<Memory> sources;

    /** Throws IllegalArgumentException if the sides differ in number or in size. */
    CopyList(List<? extends Memory> targets, List<? extends Memory> sources) {
        this.targets = List.copyOf(Objects.requireNonNull(targets, "targets"));
        this.sources = List.copyOf(Objects.requireNonNull(sources, "sources"));
        if (this.targets.size() != this.sources.size()) {
            throw new IllegalArgumentException(
                    this.targets.size() + " targets, " + this.sources.size() + " sources");
        }
        for (int i = 0; i < this.targets.size(); i++) {
            Side.common(this.targets.get(i).byteSize(), this.sources.get(i).byteSize());
        }
    }

    /** Each once. */
    Object[] memory() {
        Set<Memory> all = new LinkedHashSet<>(targets);
        all.addAll(sources);
        return all.toArray();
    }

    /** Returns the status. */
    int submit(int order, long stream) {
        ByteBuffer copies = Scratch.direct(targets.size() * COPY.size());
        for (int i = 0; i < targets.size(); i++) {
            copies.putLong(targets.get(i).address());
            copies.putLong(sources.get(i).address());
            copies.putLong(targets.get(i).byteSize());
        }
        int status = Native.CALLS.memcpyBatchAsync(Native.BRIDGE.addressOf(copies), targets.size(), order, stream);
        Reference.reachabilityFence(copies);
        return status;
    }
}
