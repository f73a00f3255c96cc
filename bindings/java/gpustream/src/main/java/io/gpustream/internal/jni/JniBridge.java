// SPDX-License-Identifier: Apache-2.0
package io.gpustream.internal.jni;

import io.gpustream.internal.Bridge;
import java.nio.ByteBuffer;

/** Written by hand in native/bridge.c: the part that the header does not have. */
final class JniBridge implements Bridge {
    @Override
    public native long addressOf(ByteBuffer directBuffer);

    @Override
    public native ByteBuffer bufferOf(long address, int bytes);

    @Override
    public native byte[] bytesAt(long address);

    @Override
    public native long releaseFunction();

    @Override
    public native long initFunction();

    @Override
    public native long notifyFunction();

    @Override
    public native long logFunction();
}
