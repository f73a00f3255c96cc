// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import java.util.Optional;

/**
 * What became of {@link GraphExec#update}.
 *
 * @param reason {@link UpdateReason#OK}, or why the executable was not updated
 * @param node the node of the new graph that cannot be taken over; empty if no single one is the reason
 */
public record UpdateResult(UpdateReason reason, Optional<GraphNode> node) {
    /** {@return whether the executable runs the new graph now; otherwise it is unchanged} */
    public boolean isUpdated() {
        return reason == UpdateReason.OK;
    }
}
