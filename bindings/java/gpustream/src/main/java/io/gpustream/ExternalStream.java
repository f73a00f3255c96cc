// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import io.gpustream.internal.Callbacks;
import io.gpustream.internal.Native;
import io.gpustream.internal.Scratch;
import java.util.Objects;

/** A driver stream that another library made. gpustream never destroys it; waits on it are never elided. */
public final class ExternalStream extends Stream {
    private ExternalStream(long number) {
        super(number, true);
    }

    /**
     * Wraps a raw stream handle that stays the caller's: see {@link Stream#fromNative}.
     *
     * @throws GpuStreamException as there
     */
    public static ExternalStream of(long nativeHandle, Device device) {
        Scratch scratch = Scratch.get();
        Failure.check(Native.STREAMS.streamFromNative(Device.numberOf(device), nativeHandle, scratch.address));
        return new ExternalStream(scratch.getLong());
    }

    /**
     * Wraps a raw stream handle and runs a function, once, when the last reference is given back: the place to destroy
     * it. The function runs on the thread that closes, on one that creates or destroys a stream later or, for an object
     * that nobody closed, on "gpustream-reaper". It must not block: no other forgotten object is given back meanwhile.
     * What it throws is logged. It is not run if this method throws.
     *
     * <p>The function is kept until it has run, and with it what it refers to. One that refers to the returned object,
     * as a lambda that mentions it does, keeps that reachable: it is never taken for forgotten and must be closed.
     *
     * @param nativeHandle a cudaStream_t or CUstream; not 0, 1 or 2, and none that gpustream knows already
     * @throws GpuStreamException INVALID_ARGUMENT (known already, or 0 to 2), INVALID_HANDLE, DEVICE_MISMATCH,
     *     INVALID_DEVICE, CAPTURING
     */
    public static ExternalStream owning(long nativeHandle, Device device, Runnable release) {
        int number = Device.numberOf(device);
        long callback = Callbacks.register(Objects.requireNonNull(release, "release"));
        Scratch scratch = Scratch.get();
        int status = Native.BRIDGE.fromNativeOwned(number, nativeHandle, callback, scratch.address);
        if (status != 0) {
            Callbacks.forget(callback);
            throw Failure.of(status);
        }
        return new ExternalStream(scratch.getLong());
    }
}
