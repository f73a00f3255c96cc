// SPDX-License-Identifier: Apache-2.0
package io.gpustream.internal;

import java.nio.ByteBuffer;

/**
 * What a layer offers beside the functions of the header: native memory, and the way back into Java, which is in
 * native/gates.h. Java objects are meant by the numbers that {@link Callbacks#register} gives.
 */
public interface Bridge {
    /** Address of a direct buffer's first byte (not of its position). */
    long addressOf(ByteBuffer directBuffer);

    /** A direct buffer over memory that somebody else owns. */
    ByteBuffer bufferOf(long address, int bytes);

    /** A copy of the bytes from an address up to a NUL, without it. */
    byte[] bytesAt(long address);

    /** Sends the library's messages to {@link Callbacks#logged}, or to a note. */
    int receiveLog();

    /** {@code gs_stream_notify}: leaves a note when the work is done. */
    int notifyOn(long stream, long number);

    /** {@code gs_call_on_init}: calls {@link Callbacks#initialised}. */
    int callOnInit(long number);

    /** {@code gs_stream_from_native_owned}: calls {@link Callbacks#released}, or leaves a note. */
    int fromNativeOwned(int device, long nativeHandle, long number, long outStream);

    /** Waits for a note and writes it to memory. Returns its kind; 0 once closed, and none is left. */
    int take(long out);

    /** Nothing enters Java any more, and no more notes are left. */
    void close();
}
