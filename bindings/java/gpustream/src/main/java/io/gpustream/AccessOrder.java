// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import io.gpustream.internal.Constants;

/** When {@link Stream#copyBatch} reads its sources. */
public enum AccessOrder {
    // Generated list: scripts/generate writes it from include/gpustream.h.
    /** After all work that was submitted to the stream before, as {@code Stream.copy()}. */
    STREAM(Constants.ACCESS_ORDER_STREAM),
    /** While the call runs: the source is the caller's again when it returns. */
    DURING_CALL(Constants.ACCESS_ORDER_DURING_CALL),
    /** At any time from the call on until the copy is done. */
    ANY(Constants.ACCESS_ORDER_ANY),
    // End of the generated list.
    ;

    final int code;

    AccessOrder(int code) {
        this.code = code;
    }
}
