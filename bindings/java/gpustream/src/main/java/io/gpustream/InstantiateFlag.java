// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import io.gpustream.internal.Constants;

/** How a graph is made executable. */
public enum InstantiateFlag {
    // Generated list: scripts/generate writes it from include/gpustream.h.
    /** Memory that a launch allocated and nothing released is released by the next launch. */
    AUTO_FREE(Constants.INSTANTIATE_AUTO_FREE),
    /** Each node runs at the priority of the stream it was captured in, instead of that of the launching stream. */
    NODE_PRIORITY(Constants.INSTANTIATE_NODE_PRIORITY),
    // End of the generated list.
    ;

    final int bit;

    InstantiateFlag(int bit) {
        this.bit = bit;
    }
}
