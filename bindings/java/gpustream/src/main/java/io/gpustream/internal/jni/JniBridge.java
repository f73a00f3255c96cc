// SPDX-License-Identifier: Apache-2.0
package io.gpustream.internal.jni;

import io.gpustream.internal.Bridge;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** Native methods of native/bridge.c, which have no function in the header. */
final class JniBridge implements Bridge {
    private final long side = open();

    JniBridge() {
        if (side == 0) {
            throw new OutOfMemoryError("no native memory for gpustream");
        }
    }

    @Override
    public native long addressOf(ByteBuffer directBuffer);

    @Override
    public native ByteBuffer bufferOf(long address, int bytes);

    @Override
    public byte[] bytesAt(long address) {
        return bytes(address);
    }

    /** The static text at an address; null for 0. */
    static String text(long address) {
        return address == 0 ? null : new String(bytes(address), StandardCharsets.UTF_8);
    }

    @Override
    public int receiveLog() {
        return receiveLog(side);
    }

    @Override
    public int notifyOn(long stream, long number) {
        return notifyOn(side, stream, number);
    }

    @Override
    public int callOnInit(long number) {
        return callOnInit(side, number);
    }

    @Override
    public int fromNativeOwned(int device, long nativeHandle, long number, long outStream) {
        return fromNativeOwned(side, device, nativeHandle, number, outStream);
    }

    @Override
    public int eventFromNativeOwned(int device, long nativeHandle, long number, long outEvent) {
        return eventFromNativeOwned(side, device, nativeHandle, number, outEvent);
    }

    @Override
    public int bridgeRegister(long name, int backend, long number, int parts, long outBridge) {
        return bridgeRegister(side, name, backend, number, parts, outBridge);
    }

    @Override
    public int graphKeep(long graph, long number) {
        return graphKeep(side, graph, number);
    }

    @Override
    public int defer(long stream, long number) {
        return defer(side, stream, number);
    }

    @Override
    public long hostFunction() {
        return hostFunctionAddress();
    }

    @Override
    public long reportFunction() {
        return reportFunctionAddress();
    }

    @Override
    public long hostArgument(long number) {
        return argumentOf(side, number);
    }

    @Override
    public void ran(long ticket) {
        ranTicket(ticket);
    }

    @Override
    public int graphDot(long graph, long out) {
        return graphDotText(graph, out);
    }

    @Override
    public int traceText(long out) {
        return wholeTrace(out);
    }

    @Override
    public void free(long address) {
        freeText(address);
    }

    @Override
    public int take(long out) {
        return take(side, out);
    }

    @Override
    public void close() {
        close(side);
    }

    private static native byte[] bytes(long address);

    private static native long open();

    private static native int receiveLog(long side);

    private static native int notifyOn(long side, long stream, long number);

    private static native int callOnInit(long side, long number);

    private static native int fromNativeOwned(long side, int device, long nativeHandle, long number, long outStream);

    private static native int eventFromNativeOwned(
            long side, int device, long nativeHandle, long number, long outEvent);

    private static native int bridgeRegister(
            long side, long name, int backend, long number, int parts, long outBridge);

    private static native int graphKeep(long side, long graph, long number);

    private static native int defer(long side, long stream, long number);

    private static native long argumentOf(long side, long number);

    private static native long hostFunctionAddress();

    private static native long reportFunctionAddress();

    private static native void ranTicket(long ticket);

    private static native int graphDotText(long graph, long out);

    private static native int wholeTrace(long out);

    private static native void freeText(long address);

    private static native int take(long side, long out);

    private static native void close(long side);
}
