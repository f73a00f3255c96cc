// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import io.gpustream.internal.Constants;
import io.gpustream.internal.Native;

/** The result of a call of the library. The codes never change. */
public enum Status {
    /** Success. Never in an exception. */
    OK(Constants.OK),
    /** The work is not done yet: {@link Event#elapsedMs}. */
    NOT_READY(Constants.NOT_READY),
    /** An argument is out of its range, malformed, or an unknown flag. */
    INVALID_ARGUMENT(Constants.ERROR_INVALID_ARGUMENT),
    /** The stream, event, module or kernel is closed, or the native handle is not valid. */
    INVALID_HANDLE(Constants.ERROR_INVALID_HANDLE),
    /** There is no such device. */
    INVALID_DEVICE(Constants.ERROR_INVALID_DEVICE),
    /** The objects belong to different devices and the operation needs one. */
    DEVICE_MISMATCH(Constants.ERROR_DEVICE_MISMATCH),
    /** The scope is not this thread's, or not its innermost. */
    SCOPE(Constants.ERROR_SCOPE),
    /** The event was never recorded. */
    NOT_RECORDED(Constants.ERROR_NOT_RECORDED),
    /** The event was made without timing. */
    TIMING_DISABLED(Constants.ERROR_TIMING_DISABLED),
    /** The call is not permitted here: a virtual thread, a host function, a notification. */
    NOT_PERMITTED(Constants.ERROR_NOT_PERMITTED),
    /** The stream or event takes part in a graph capture that the call would break; the capture is intact. */
    CAPTURING(Constants.ERROR_CAPTURING),
    /** A time limit passed. */
    TIMEOUT(Constants.ERROR_TIMEOUT),
    /** The backend cannot be used on this machine; see {@link GpuStreamException#reason()}. */
    UNAVAILABLE(Constants.ERROR_UNAVAILABLE),
    /** The process was forked after a backend had been started. */
    BAD_FORK(Constants.ERROR_BAD_FORK),
    /** The device was reset by another library; objects made before are dead. */
    CONTEXT_LOST(Constants.ERROR_CONTEXT_LOST),
    /** The backend, driver or device does not offer this, or the objects belong to different backends. */
    NOT_SUPPORTED(Constants.ERROR_NOT_SUPPORTED),
    /** The driver has shut down because the process exits. */
    SHUTDOWN(Constants.ERROR_SHUTDOWN),
    /** The other process of an interprocess event is gone. */
    PEER_LOST(Constants.ERROR_PEER_LOST),
    /** Host or device memory, or the table of handles, is exhausted. */
    OUT_OF_MEMORY(Constants.ERROR_OUT_OF_MEMORY),
    /** A system call failed, or a Java function called during initialisation threw. */
    SYSTEM(Constants.ERROR_SYSTEM),
    /** A driver call failed; see {@link GpuStreamException#nativeCode()}. */
    DRIVER(Constants.ERROR_DRIVER),
    /** An earlier error left the device unusable in this process; see {@link GpuStreamException#origin()}. */
    STICKY(Constants.ERROR_STICKY),
    /** A synchronizing call in {@link SyncDebugMode#ERROR}. Nothing was waited for. */
    SYNC_FORBIDDEN(Constants.ERROR_SYNC_FORBIDDEN),
    /** A defect of gpustream. */
    INTERNAL(Constants.ERROR_INTERNAL),
    /** A code that this version of the classes does not know. */
    UNKNOWN(-1);

    private static final Status[] VALUES = values();

    private final int code;

    Status(int code) {
        this.code = code;
    }

    /** {@return the number that the C interface uses; -1 for {@link #UNKNOWN}} */
    public int code() {
        return code;
    }

    /** {@return the name in the C interface, such as "GS_ERROR_INVALID_HANDLE"} */
    public String nativeName() {
        return Native.CALLS.statusName(code);
    }

    /** {@return one English phrase that says what this means in general} */
    public String message() {
        return Native.CALLS.statusMessage(code);
    }

    /**
     * {@return the status with a code; {@link #UNKNOWN} if none has it}
     *
     * @param code a number of the C interface
     */
    public static Status of(int code) {
        for (Status status : VALUES) {
            if (status.code == code) {
                return status;
            }
        }
        return UNKNOWN;
    }
}
