// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import io.gpustream.internal.Constants;
import io.gpustream.internal.Native;

/**
 * The result of a call of the library. The codes never change. In Java {@link #NOT_PERMITTED} also says that a virtual
 * thread has no current device and stream of its own, and {@link #SYSTEM} that a Java function threw in initialisation.
 */
public enum Status {
    // Generated list: scripts/generate writes it from include/gpustream.h.
    /** Success. */
    OK(Constants.OK),
    /**
     * The work is not done yet; not an error. Returned by {@code Event.elapsedMs()} and {@code Event.hostTime()} only.
     */
    NOT_READY(Constants.NOT_READY),
    /** An argument is NULL, out of its range, malformed, or an unknown flag. */
    INVALID_ARGUMENT(Constants.ERROR_INVALID_ARGUMENT),
    /** The handle is NULL, destroyed, of another kind, or was never valid. */
    INVALID_HANDLE(Constants.ERROR_INVALID_HANDLE),
    /** There is no such device. */
    INVALID_DEVICE(Constants.ERROR_INVALID_DEVICE),
    /** The objects belong to different devices and the operation needs one. */
    DEVICE_MISMATCH(Constants.ERROR_DEVICE_MISMATCH),
    /** The scope is not this thread's innermost; or the range is not open. */
    SCOPE(Constants.ERROR_SCOPE),
    /** The event was never recorded, or lacks the record that is asked for. */
    NOT_RECORDED(Constants.ERROR_NOT_RECORDED),
    /** The event was created without {@link EventFlag#TIMING}. */
    TIMING_DISABLED(Constants.ERROR_TIMING_DISABLED),
    /** The call is not permitted inside a host function or a notification. */
    NOT_PERMITTED(Constants.ERROR_NOT_PERMITTED),
    /**
     * The stream or event takes part in a graph capture that the call would break. The capture is left intact, with one
     * exception: on CUDA, querying an event that was recorded in the capture breaks it.
     */
    CAPTURING(Constants.ERROR_CAPTURING),
    /** A time limit passed. The work goes on, and the call may be repeated. */
    TIMEOUT(Constants.ERROR_TIMEOUT),
    /** The entry was cancelled by {@code CompletionQueue.cancel()}; its work is not affected. */
    CANCELLED(Constants.ERROR_CANCELLED),
    /** The call would close a circle of streams that wait for each other; the error text names it. Nothing was done. */
    DEADLOCK(Constants.ERROR_DEADLOCK),
    /** The timeline was aborted. */
    ABORTED(Constants.ERROR_ABORTED),
    /** The backend cannot be used on this machine. {@link UnavailableReason} says why. */
    UNAVAILABLE(Constants.ERROR_UNAVAILABLE),
    /** The process was forked after a backend had been started, or after another library had initialised CUDA. */
    BAD_FORK(Constants.ERROR_BAD_FORK),
    /** The device was reset; objects created before the reset are dead. */
    CONTEXT_LOST(Constants.ERROR_CONTEXT_LOST),
    /** The backend, driver or device does not support this, or the objects belong to different backends. */
    NOT_SUPPORTED(Constants.ERROR_NOT_SUPPORTED),
    /** The driver has shut down because the process exits. */
    SHUTDOWN(Constants.ERROR_SHUTDOWN),
    /** The other process of an interprocess event is gone. */
    PEER_LOST(Constants.ERROR_PEER_LOST),
    /** Host or device memory, or the table of handles, is exhausted. */
    OUT_OF_MEMORY(Constants.ERROR_OUT_OF_MEMORY),
    /** A system call failed; the error record names it. */
    SYSTEM(Constants.ERROR_SYSTEM),
    /** The queue has as many undelivered entries, or there are as many open ranges, as may be. Nothing was added. */
    FULL(Constants.ERROR_FULL),
    /** A driver call failed; the error record has its code and name. */
    DRIVER(Constants.ERROR_DRIVER),
    /** An earlier error left the device unusable in this process; the error record names the first origin. */
    STICKY(Constants.ERROR_STICKY),
    /**
     * A synchronizing call in sync debug mode "error" or under {@code OrderingChecker.forbidSync()}. Nothing was waited
     * for.
     */
    SYNC_FORBIDDEN(Constants.ERROR_SYNC_FORBIDDEN),
    /** A defect of gpustream. */
    INTERNAL(Constants.ERROR_INTERNAL),
    // End of the generated list.
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
        return Native.BRIDGE.text(Native.CALLS.statusName(code));
    }

    /** {@return one English phrase that says what this means in general} */
    public String message() {
        return Native.BRIDGE.text(Native.CALLS.statusMessage(code));
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
