// SPDX-License-Identifier: Apache-2.0
package io.gpustream.internal;

import java.nio.ByteBuffer;

/** What a layer offers beside the functions of the header: native memory, and the way back into Java. */
public interface Bridge {
    /** Address of a direct buffer's first byte (not of its position). */
    long addressOf(ByteBuffer directBuffer);

    /** A direct buffer over memory that somebody else owns. */
    ByteBuffer bufferOf(long address, int bytes);

    /** A copy of the bytes from an address up to a NUL, without it. */
    byte[] bytesAt(long address);

    /** {@code void (void *argument)}: calls {@link Callbacks#released}. */
    long releaseFunction();

    /** {@code gs_status_t (void *argument)}: calls {@link Callbacks#initialised}. */
    long initFunction();

    /** {@code void (void *argument, gs_status_t)}: calls {@link Callbacks#notified}. */
    long notifyFunction();

    /** {@code void (void *argument, int32_t level, const char *text)}: calls {@link Callbacks#logged}. */
    long logFunction();
}
