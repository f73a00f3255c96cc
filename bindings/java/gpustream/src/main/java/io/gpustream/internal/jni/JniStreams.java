// SPDX-License-Identifier: Apache-2.0
package io.gpustream.internal.jni;

import io.gpustream.internal.StreamCalls;

/** Streams. Calls the methods that SWIG generated. */
final class JniStreams implements StreamCalls {
    @Override
    public int streamCreate(int device, int priority, int flags, long outStream) {
        return GpustreamJni.gs_stream_create(device, priority, flags, outStream);
    }

    @Override
    public int streamFromNative(int device, long nativeHandle, long outStream) {
        return GpustreamJni.gs_stream_from_native(device, nativeHandle, outStream);
    }

    @Override
    public int streamFromNativeOwned(int device, long nativeHandle, long release, long arg, long outStream) {
        return GpustreamJni.gs_stream_from_native_owned(device, nativeHandle, release, arg, outStream);
    }

    @Override
    public int streamRetain(long stream) {
        return GpustreamJni.gs_stream_retain(stream);
    }

    @Override
    public int streamDestroy(long stream) {
        return GpustreamJni.gs_stream_destroy(stream);
    }

    @Override
    public int streamQuery(long stream, long outDone) {
        return GpustreamJni.gs_stream_query(stream, outDone);
    }

    @Override
    public int streamSynchronize(long stream) {
        return GpustreamJni.gs_stream_synchronize(stream);
    }

    @Override
    public int streamWaitEvent(long stream, long event) {
        return GpustreamJni.gs_stream_wait_event(stream, event);
    }

    @Override
    public int streamWaitStream(long stream, long other) {
        return GpustreamJni.gs_stream_wait_stream(stream, other);
    }

    @Override
    public int streamRecordEvent(long stream, long event) {
        return GpustreamJni.gs_stream_record_event(stream, event);
    }

    @Override
    public int streamNative(long stream, long outNative) {
        return GpustreamJni.gs_stream_native(stream, outNative);
    }

    @Override
    public int streamId(long stream, long outId) {
        return GpustreamJni.gs_stream_id(stream, outId);
    }

    @Override
    public int streamDevice(long stream, long outDevice) {
        return GpustreamJni.gs_stream_device(stream, outDevice);
    }

    @Override
    public int streamPriority(long stream, long outPriority) {
        return GpustreamJni.gs_stream_priority(stream, outPriority);
    }

    @Override
    public int streamFlags(long stream, long outFlags) {
        return GpustreamJni.gs_stream_flags(stream, outFlags);
    }

    @Override
    public int streamIsCapturing(long stream, long outCapturing) {
        return GpustreamJni.gs_stream_is_capturing(stream, outCapturing);
    }

    @Override
    public int streamEqual(long stream, long other, long outEqual) {
        return GpustreamJni.gs_stream_equal(stream, other, outEqual);
    }

    @Override
    public int streamHash(long stream, long outHash) {
        return GpustreamJni.gs_stream_hash(stream, outHash);
    }

    @Override
    public int streamPack(long stream, long outTriple) {
        return GpustreamJni.gs_stream_pack(stream, outTriple);
    }

    @Override
    public int streamUnpack(long triple, long outStream) {
        return GpustreamJni.gs_stream_unpack(triple, outStream);
    }

    @Override
    public int streamLaunchHost(long stream, long fn, long arg) {
        return GpustreamJni.gs_stream_launch_host(stream, fn, arg);
    }

    @Override
    public int streamNotify(long stream, long fn, long arg) {
        return GpustreamJni.gs_stream_notify(stream, fn, arg);
    }

    @Override
    public int streamSleep(long stream, long cycles) {
        return GpustreamJni.gs_stream_sleep(stream, cycles);
    }
}
