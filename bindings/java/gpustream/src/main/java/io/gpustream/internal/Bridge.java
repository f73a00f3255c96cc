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
    /** Begins upcalls and notes. False: no native memory. */
    public native boolean open();

    /** Address of a direct buffer's first byte (not of its position). */
    public native long addressOf(ByteBuffer directBuffer);

    /** A direct buffer over memory that it does not own. */
    public native ByteBuffer bufferOf(long address, int bytes);

    /** A copy of the bytes from an address up to a NUL, without it. */
    public native byte[] bytesAt(long address);

    /** The text at an address; null for 0. */
    public final String text(long address) {
        return address == 0 ? null : new String(bytesAt(address), StandardCharsets.UTF_8);
    }

    /** Sends the library's messages to {@link Upcalls#logged}, or to a note. */
    public native int receiveLog();

    /** {@code gs_stream_notify}: leaves a note when the work is done. */
    public native int notifyOn(long stream, long number);

    /** {@code gs_call_on_init}: calls {@link Upcalls#initialised}. */
    public native int callOnInit(long number);

    /** {@code gs_stream_from_native_owned}: calls {@link Upcalls#released}, or leaves a note. */
    public native int fromNativeOwned(int device, long nativeHandle, long number, long outStream);

    /** {@code gs_event_from_native_owned}: as {@link #fromNativeOwned}. */
    public native int eventFromNativeOwned(int device, long nativeHandle, long number, long outEvent);

    /**
     * {@code gs_bridge_register}: calls {@link Upcalls#bridged}.
     *
     * @param name address of the NUL-terminated name
     * @param parts 1: the library's stream can be set; 2: its device too
     */
    public native int bridgeRegister(long name, int backend, long number, int parts, long outBridge);

    /** {@code gs_graph_keep}: in the end leaves a note by which the number is forgotten. */
    public native int graphKeep(long graph, long number);

    /** {@code gs_stream_defer}: leaves a note by which the number's function runs. */
    public native int defer(long stream, long number);

    /**
     * Address of the native function that stands for one of Java in graphs and streams. It leaves a note and waits, as
     * does the work behind it, until the function has run.
     */
    public native long hostFunction();

    /** Address of the native function that passes reports of the ordering checker on, by a note with their texts. */
    public native long reportFunction();

    /** What such functions are to be passed, so that they mean a number's object. */
    public native long hostArgument(long number);

    /** The function of a note with this ticket has run. */
    public native void ran(long ticket);

    /** {@code gs_graph_write_dot}: writes address and size of the text, which {@link #free} ends. */
    public native int graphDot(long graph, long out);

    /** {@code gs_trace_write}: writes address and size of the text, which {@link #free} ends. */
    public native int traceText(long trace, long out);

    /** Ends a text of {@link #graphDot}, of {@link #traceText} or of a report. */
    public native void free(long address);

    /** Waits for a note and writes it to memory. Returns its kind; 0 when closed and none is left. */
    public native int take(long out);

    /** Ends upcalls and notes. */
    public native void close();
}
