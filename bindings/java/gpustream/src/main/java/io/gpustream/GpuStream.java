// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

/**
 * The former name of {@link Library}, whose methods it inherits.
 *
 * @deprecated since 0.1, the name suggests a stream: use {@link Library}
 */
@Deprecated(since = "0.1", forRemoval = true)
public final class GpuStream extends Library {
    private GpuStream() {}
}
