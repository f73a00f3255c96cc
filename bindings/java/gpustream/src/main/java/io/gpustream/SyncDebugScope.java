// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

/** Which calls {@link SyncDebugMode} applies to. The order of the constants is that of the C interface. */
public enum SyncDebugScope {
    /** {@link Stream#synchronize()} only, as PyTorch has it. */
    TORCH,
    /** Also {@link Event#synchronize()} and {@link Device#synchronize()}. */
    ALL
}
