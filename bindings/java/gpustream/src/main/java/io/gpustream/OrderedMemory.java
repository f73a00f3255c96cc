// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

/** Lets {@link StreamBuffer}, which names streams, be a {@link Memory}, which streams name. */
abstract non-sealed class OrderedMemory extends Memory {
    OrderedMemory(long bytes) {
        super(bytes);
    }
}
