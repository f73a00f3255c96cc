// SPDX-License-Identifier: Apache-2.0
package io.gpustream.internal;

/**
 * Streams.
 *
 * <p>One method per function of gpustream.h, named after it, with its parameters in its order: handles, addresses and
 * pointers to functions are longs, unsigned numbers keep their bits. What they do is said in the header.
 */
public interface StreamCalls {
    int streamCreate(int device, int priority, int flags, long outStream);

    int streamFromNative(int device, long nativeHandle, long outStream);

    int streamFromNativeOwned(int device, long nativeHandle, long release, long arg, long outStream);

    int streamRetain(long stream);

    int streamDestroy(long stream);

    int streamQuery(long stream, long outDone);

    int streamSynchronize(long stream);

    int streamWaitEvent(long stream, long event);

    int streamWaitStream(long stream, long other);

    int streamRecordEvent(long stream, long event);

    int streamNative(long stream, long outNative);

    int streamId(long stream, long outId);

    int streamDevice(long stream, long outDevice);

    int streamPriority(long stream, long outPriority);

    int streamFlags(long stream, long outFlags);

    int streamIsCapturing(long stream, long outCapturing);

    int streamEqual(long stream, long other, long outEqual);

    int streamHash(long stream, long outHash);

    int streamPack(long stream, long outTriple);

    int streamUnpack(long triple, long outStream);

    int streamLaunchHost(long stream, long fn, long arg);

    int streamNotify(long stream, long fn, long arg);

    int streamSleep(long stream, long cycles);
}
