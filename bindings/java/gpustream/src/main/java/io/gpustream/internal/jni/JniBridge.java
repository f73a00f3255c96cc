// SPDX-License-Identifier: Apache-2.0
package io.gpustream.internal.jni;

import io.gpustream.internal.Bridge;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** Native methods of native/bridge.c, which have no function in the header. */
final class JniBridge implements Bridge {
    JniBridge() {
        if (!open()) {
            throw new OutOfMemoryError("no native memory for gpustream");
        }
    }

    /** The static text at an address; null for 0. */
    static String text(long address) {
        return address == 0 ? null : new String(bytes(address), StandardCharsets.UTF_8);
    }

    @Override
    public byte[] bytesAt(long address) {
        return bytes(address);
    }

    private static native byte[] bytes(long address);

    private native boolean open();

    @Override
    public native long addressOf(ByteBuffer directBuffer);

    @Override
    public native ByteBuffer bufferOf(long address, int bytes);

    @Override
    public native int receiveLog();

    @Override
    public native int notifyOn(long stream, long number);

    @Override
    public native int callOnInit(long number);

    @Override
    public native int fromNativeOwned(int device, long nativeHandle, long number, long outStream);

    @Override
    public native int eventFromNativeOwned(int device, long nativeHandle, long number, long outEvent);

    @Override
    public native int bridgeRegister(long name, int backend, long number, int parts, long outBridge);

    @Override
    public native int graphKeep(long graph, long number);

    @Override
    public native int defer(long stream, long number);

    @Override
    public native long hostFunction();

    @Override
    public native long reportFunction();

    @Override
    public native long hostArgument(long number);

    @Override
    public native void ran(long ticket);

    @Override
    public native int graphDot(long graph, long out);

    @Override
    public native int traceText(long trace, long out);

    @Override
    public native void free(long address);

    @Override
    public native int take(long out);

    @Override
    public native void close();
}
