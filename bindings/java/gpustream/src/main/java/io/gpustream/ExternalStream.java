// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import io.gpustream.internal.Callbacks;
import io.gpustream.internal.Native;
import io.gpustream.internal.Scratch;
import java.util.Objects;

/** A driver stream that another library made. gpustream never destroys it, and makes every wait on it. */
public final class ExternalStream extends Stream {
    private ExternalStream(long number) {
        super(number, true);
    }

    /**
     * Wraps a raw stream handle of the driver, which stays the caller's and must be alive until this object is closed.
     * The handle of one of gpustream's own streams names that stream. 0 and 1 are the default stream, 2 the per-thread
     * stream. Does not block.
     *
     * @param nativeHandle a cudaStream_t or CUstream
     * @param device the device it is expected on
     * @return the stream, owned
     * @throws GpuStreamException INVALID_HANDLE (not a stream), DEVICE_MISMATCH (of another device), INVALID_DEVICE,
     *     CAPTURING (asking the driver would break its capture)
     */
    public static ExternalStream of(long nativeHandle, Device device) {
        int number = Device.numberOf(device);
        return new ExternalStream(Call.forLong(out -> Native.CALLS.streamFromNative(number, nativeHandle, out)));
    }

    /**
     * Wraps a raw stream handle and runs a function, once, when the last reference is given back: the place to destroy
     * the driver's stream. The function runs on the thread that closes the object, on one that creates or destroys a
     * stream later or, for an object that was never closed, on "gpustream-reaper". It must not block: it delays the end
     * of all other forgotten objects. What it throws is logged. It does not run if this method throws.
     *
     * <p>The function, and what it refers to, stays reachable until it has run. One that refers to the returned object,
     * as a lambda that mentions it does, keeps that object reachable: it must be closed.
     *
     * @param nativeHandle a cudaStream_t or CUstream that gpustream does not know already; 0, 1 and 2 are refused
     * @param device the device it is expected on
     * @param release what to run
     * @return the stream, owned
     * @throws GpuStreamException INVALID_ARGUMENT (known already, or 0 to 2), INVALID_HANDLE, DEVICE_MISMATCH,
     *     INVALID_DEVICE, CAPTURING
     */
    public static ExternalStream owning(long nativeHandle, Device device, Runnable release) {
        int number = Device.numberOf(device);
        Scratch scratch = Scratch.get();
        Call.registering(
                Objects.requireNonNull(release, "release"),
                Callbacks.ON_RELEASE,
                (end, argument) ->
                        Native.CALLS.streamFromNativeOwned(number, nativeHandle, end, argument, scratch.address));
        return new ExternalStream(scratch.getLong());
    }
}
