// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

/** Which calls {@link SyncDebugMode} applies to. The order of the constants is that of the C interface. */
public enum SyncDebugScope {
    // Generated list: scripts/generate writes it from include/gpustream.h.
    /**
     * {@code Stream.synchronize()} only. PyTorch's own mode also covers blocking copies, which this library has not.
     */
    TORCH,
    /** Every call that waits for device work. */
    ALL,
    // End of the generated list.
}
