// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

/** Which calls {@link SyncDebugMode} applies to. The order of the constants is that of the C interface. */
public enum SyncDebugScope {
    // Generated list: scripts/generate writes it from include/gpustream.h.
    /** {@code Stream.synchronize()} only, as in PyTorch. */
    TORCH,
    /** Also {@code Event.synchronize()} and {@code Device.synchronize()}. */
    ALL,
    // End of the generated list.
}
