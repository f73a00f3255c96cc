// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import io.gpustream.internal.Constants;

/** What {@link OrderingChecker#start} asks for. */
public enum CheckFlag {
    // Generated list: scripts/generate writes it from include/gpustream.h.
    /** The process is aborted (SIGABRT) once the first report has been delivered. */
    ABORT(Constants.CHECK_ABORT),
    /** Each access also keeps the call stack of its thread. Without it only the later access has one. */
    STACKS(Constants.CHECK_STACKS),
    // End of the generated list.
    ;

    final int bit;

    CheckFlag(int bit) {
        this.bit = bit;
    }
}
