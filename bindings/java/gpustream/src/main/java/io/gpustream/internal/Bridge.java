// SPDX-License-Identifier: Apache-2.0
package io.gpustream.internal;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * What a layer offers beside the functions of the header: native memory, and upcalls, which native/gates.h describes.
 * {@link Callbacks#register} returns the numbers that stand for Java objects. Here they are native methods of
 * native/bridge.c; the layer for Java 22 overrides all of them.
 */
public class Bridge {
    private static final int LONGEST_TEXT = 1 << 30;

    /** Begins upcalls and notes. False: no native memory. */
    public native boolean open();

    /** Address of a direct buffer's first byte (not of its position). */
    public native long addressOf(ByteBuffer directBuffer);

    /** A direct buffer over memory that it does not own. */
    public native ByteBuffer bufferOf(long address, int bytes);

    /** A copy of the bytes from an address up to a NUL, without it. */
    public final byte[] bytesAt(long address) {
        ByteBuffer memory = bufferOf(address, LONGEST_TEXT);
        int length = 0;
        while (memory.get(length) != 0) {
            length++;
        }
        byte[] bytes = new byte[length];
        memory.get(0, bytes);
        return bytes;
    }

    /** The text at an address; null for 0. */
    public final String text(long address) {
        return address == 0 ? null : new String(bytesAt(address), StandardCharsets.UTF_8);
    }

    /** {@code gs_stream_notify}: leaves a note when the work is done. */
    public native int notifyOn(long stream, long number);

    /**
     * {@code gs_bridge_register}: calls {@link Upcalls#bridged}.
     *
     * @param name address of the NUL-terminated name
     * @param parts 1: the library's stream can be set; 2: its device too
     */
    public native int bridgeRegister(long name, int backend, long number, int parts, long outBridge);

    /** Address of a function that stands for one of Java: {@code Callbacks.ON_*}. */
    public native long function(int which);

    /** What such a function is to be passed, so that it means a number's object. */
    public native long argument(long number);

    /** The function of a note with this ticket has run. */
    public native void ran(long ticket);

    /** Ends a text that {@link Callbacks#ON_TEXT} has gathered, or of a report. */
    public native void free(long address);

    /** Waits for a note and writes it to memory. Returns its kind; 0 when closed and none is left. */
    public native int take(long out);

    /** Ends upcalls and notes. */
    public native void close();
}
