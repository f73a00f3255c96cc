// SPDX-License-Identifier: Apache-2.0
package io.gpustream.internal.ffm;

import io.gpustream.internal.StreamCalls;
import java.lang.invoke.MethodHandle;

/** Streams. One static handle per function, which the compiler of the virtual machine sees through. */
final class FfmStreams implements StreamCalls {
    private static final MethodHandle STREAM_CREATE =
            Symbols.plain("gs_stream_create", int.class, int.class, int.class, int.class, long.class);
    private static final MethodHandle STREAM_FROM_NATIVE =
            Symbols.plain("gs_stream_from_native", int.class, int.class, long.class, long.class);
    private static final MethodHandle STREAM_FROM_NATIVE_OWNED =
            Symbols.plain("gs_stream_from_native_owned", int.class, int.class, long.class, long.class, long.class,
                    long.class);
    private static final MethodHandle STREAM_RETAIN = Symbols.plain("gs_stream_retain", int.class, long.class);
    private static final MethodHandle STREAM_DESTROY = Symbols.plain("gs_stream_destroy", int.class, long.class);
    private static final MethodHandle STREAM_QUERY =
            Symbols.plain("gs_stream_query", int.class, long.class, long.class);
    private static final MethodHandle STREAM_SYNCHRONIZE =
            Symbols.plain("gs_stream_synchronize", int.class, long.class);
    private static final MethodHandle STREAM_WAIT_EVENT =
            Symbols.plain("gs_stream_wait_event", int.class, long.class, long.class);
    private static final MethodHandle STREAM_WAIT_STREAM =
            Symbols.plain("gs_stream_wait_stream", int.class, long.class, long.class);
    private static final MethodHandle STREAM_RECORD_EVENT =
            Symbols.plain("gs_stream_record_event", int.class, long.class, long.class);
    private static final MethodHandle STREAM_NATIVE =
            Symbols.critical("gs_stream_native", int.class, long.class, long.class);
    private static final MethodHandle STREAM_ID = Symbols.critical("gs_stream_id", int.class, long.class, long.class);
    private static final MethodHandle STREAM_DEVICE =
            Symbols.critical("gs_stream_device", int.class, long.class, long.class);
    private static final MethodHandle STREAM_PRIORITY =
            Symbols.critical("gs_stream_priority", int.class, long.class, long.class);
    private static final MethodHandle STREAM_FLAGS =
            Symbols.critical("gs_stream_flags", int.class, long.class, long.class);
    private static final MethodHandle STREAM_IS_CAPTURING =
            Symbols.plain("gs_stream_is_capturing", int.class, long.class, long.class);
    private static final MethodHandle STREAM_EQUAL =
            Symbols.critical("gs_stream_equal", int.class, long.class, long.class, long.class);
    private static final MethodHandle STREAM_HASH =
            Symbols.critical("gs_stream_hash", int.class, long.class, long.class);
    private static final MethodHandle STREAM_PACK = Symbols.plain("gs_stream_pack", int.class, long.class, long.class);
    private static final MethodHandle STREAM_UNPACK =
            Symbols.plain("gs_stream_unpack", int.class, long.class, long.class);
    private static final MethodHandle STREAM_LAUNCH_HOST =
            Symbols.plain("gs_stream_launch_host", int.class, long.class, long.class, long.class);
    private static final MethodHandle STREAM_NOTIFY =
            Symbols.plain("gs_stream_notify", int.class, long.class, long.class, long.class);
    private static final MethodHandle STREAM_SLEEP =
            Symbols.plain("gs_stream_sleep", int.class, long.class, long.class);

    @Override
    public int streamCreate(int device, int priority, int flags, long outStream) {
        try {
            return (int) STREAM_CREATE.invokeExact(device, priority, flags, outStream);
        } catch (Throwable error) {
            throw Symbols.broken(error);
        }
    }

    @Override
    public int streamFromNative(int device, long nativeHandle, long outStream) {
        try {
            return (int) STREAM_FROM_NATIVE.invokeExact(device, nativeHandle, outStream);
        } catch (Throwable error) {
            throw Symbols.broken(error);
        }
    }

    @Override
    public int streamFromNativeOwned(int device, long nativeHandle, long release, long arg, long outStream) {
        try {
            return (int) STREAM_FROM_NATIVE_OWNED.invokeExact(device, nativeHandle, release, arg, outStream);
        } catch (Throwable error) {
            throw Symbols.broken(error);
        }
    }

    @Override
    public int streamRetain(long stream) {
        try {
            return (int) STREAM_RETAIN.invokeExact(stream);
        } catch (Throwable error) {
            throw Symbols.broken(error);
        }
    }

    @Override
    public int streamDestroy(long stream) {
        try {
            return (int) STREAM_DESTROY.invokeExact(stream);
        } catch (Throwable error) {
            throw Symbols.broken(error);
        }
    }

    @Override
    public int streamQuery(long stream, long outDone) {
        try {
            return (int) STREAM_QUERY.invokeExact(stream, outDone);
        } catch (Throwable error) {
            throw Symbols.broken(error);
        }
    }

    @Override
    public int streamSynchronize(long stream) {
        try {
            return (int) STREAM_SYNCHRONIZE.invokeExact(stream);
        } catch (Throwable error) {
            throw Symbols.broken(error);
        }
    }

    @Override
    public int streamWaitEvent(long stream, long event) {
        try {
            return (int) STREAM_WAIT_EVENT.invokeExact(stream, event);
        } catch (Throwable error) {
            throw Symbols.broken(error);
        }
    }

    @Override
    public int streamWaitStream(long stream, long other) {
        try {
            return (int) STREAM_WAIT_STREAM.invokeExact(stream, other);
        } catch (Throwable error) {
            throw Symbols.broken(error);
        }
    }

    @Override
    public int streamRecordEvent(long stream, long event) {
        try {
            return (int) STREAM_RECORD_EVENT.invokeExact(stream, event);
        } catch (Throwable error) {
            throw Symbols.broken(error);
        }
    }

    @Override
    public int streamNative(long stream, long outNative) {
        try {
            return (int) STREAM_NATIVE.invokeExact(stream, outNative);
        } catch (Throwable error) {
            throw Symbols.broken(error);
        }
    }

    @Override
    public int streamId(long stream, long outId) {
        try {
            return (int) STREAM_ID.invokeExact(stream, outId);
        } catch (Throwable error) {
            throw Symbols.broken(error);
        }
    }

    @Override
    public int streamDevice(long stream, long outDevice) {
        try {
            return (int) STREAM_DEVICE.invokeExact(stream, outDevice);
        } catch (Throwable error) {
            throw Symbols.broken(error);
        }
    }

    @Override
    public int streamPriority(long stream, long outPriority) {
        try {
            return (int) STREAM_PRIORITY.invokeExact(stream, outPriority);
        } catch (Throwable error) {
            throw Symbols.broken(error);
        }
    }

    @Override
    public int streamFlags(long stream, long outFlags) {
        try {
            return (int) STREAM_FLAGS.invokeExact(stream, outFlags);
        } catch (Throwable error) {
            throw Symbols.broken(error);
        }
    }

    @Override
    public int streamIsCapturing(long stream, long outCapturing) {
        try {
            return (int) STREAM_IS_CAPTURING.invokeExact(stream, outCapturing);
        } catch (Throwable error) {
            throw Symbols.broken(error);
        }
    }

    @Override
    public int streamEqual(long stream, long other, long outEqual) {
        try {
            return (int) STREAM_EQUAL.invokeExact(stream, other, outEqual);
        } catch (Throwable error) {
            throw Symbols.broken(error);
        }
    }

    @Override
    public int streamHash(long stream, long outHash) {
        try {
            return (int) STREAM_HASH.invokeExact(stream, outHash);
        } catch (Throwable error) {
            throw Symbols.broken(error);
        }
    }

    @Override
    public int streamPack(long stream, long outTriple) {
        try {
            return (int) STREAM_PACK.invokeExact(stream, outTriple);
        } catch (Throwable error) {
            throw Symbols.broken(error);
        }
    }

    @Override
    public int streamUnpack(long triple, long outStream) {
        try {
            return (int) STREAM_UNPACK.invokeExact(triple, outStream);
        } catch (Throwable error) {
            throw Symbols.broken(error);
        }
    }

    @Override
    public int streamLaunchHost(long stream, long fn, long arg) {
        try {
            return (int) STREAM_LAUNCH_HOST.invokeExact(stream, fn, arg);
        } catch (Throwable error) {
            throw Symbols.broken(error);
        }
    }

    @Override
    public int streamNotify(long stream, long fn, long arg) {
        try {
            return (int) STREAM_NOTIFY.invokeExact(stream, fn, arg);
        } catch (Throwable error) {
            throw Symbols.broken(error);
        }
    }

    @Override
    public int streamSleep(long stream, long cycles) {
        try {
            return (int) STREAM_SLEEP.invokeExact(stream, cycles);
        } catch (Throwable error) {
            throw Symbols.broken(error);
        }
    }
}
