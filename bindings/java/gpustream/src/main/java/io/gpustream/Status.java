// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import io.gpustream.internal.Native;

/** What a call of the library came to. The codes are pinned for ever. */
public enum Status {
    /** Success. Never in an exception. */
    OK(0),
    /** The work is not done yet: {@link Event#elapsedMs}. */
    NOT_READY(1),
    /** An argument is out of its range, malformed, or an unknown flag. */
    INVALID_ARGUMENT(10),
    /** The stream, event, module or kernel is gone, or the native handle never was one. */
    INVALID_HANDLE(11),
    /** There is no such device. */
    INVALID_DEVICE(12),
    /** The objects belong to different devices and the operation needs one. */
    DEVICE_MISMATCH(13),
    /** The scope is not this thread's, or not its innermost. */
    SCOPE(14),
    /** The event was never recorded. */
    NOT_RECORDED(20),
    /** The event was made without timing. */
    TIMING_DISABLED(21),
    /** The call is not permitted here: a virtual thread, a host function, a notification. */
    NOT_PERMITTED(22),
    /** The stream or event takes part in a graph capture that the call would break; the capture is intact. */
    CAPTURING(23),
    /** A time limit passed. */
    TIMEOUT(24),
    /** The backend cannot be used on this machine; see {@link GpuStreamException#reason()}. */
    UNAVAILABLE(30),
    /** The process was forked after a backend had been started. */
    BAD_FORK(31),
    /** The device was reset by another library; objects made before are dead. */
    CONTEXT_LOST(32),
    /** The backend, driver or device does not offer this, or the objects belong to different backends. */
    NOT_SUPPORTED(33),
    /** The driver has shut down because the process exits. */
    SHUTDOWN(34),
    /** The other process of an interprocess event is gone. */
    PEER_LOST(35),
    /** Host or device memory, or the table of handles, is exhausted. */
    OUT_OF_MEMORY(40),
    /** A system call failed, or a Java function called during initialisation threw. */
    SYSTEM(41),
    /** A driver call failed; see {@link GpuStreamException#nativeCode()}. */
    DRIVER(50),
    /** An earlier error left the device unusable in this process; see {@link GpuStreamException#origin()}. */
    STICKY(51),
    /** A synchronizing call in {@link SyncDebugMode#ERROR}. Nothing was waited for. */
    SYNC_FORBIDDEN(60),
    /** A defect of gpustream. */
    INTERNAL(99),
    /** A code that this version of the classes does not know. */
    UNKNOWN(-1);

    private static final Status[] VALUES = values();

    private final int code;

    Status(int code) {
        this.code = code;
    }

    /** The number that the C interface uses; -1 for {@link #UNKNOWN}. */
    public int code() {
        return code;
    }

    /** The name in the C interface, such as "GS_ERROR_INVALID_HANDLE". */
    public String nativeName() {
        return Native.LIBRARY.statusName(code);
    }

    /** One English phrase that says what this means in general. */
    public String message() {
        return Native.LIBRARY.statusMessage(code);
    }

    /** The status with a code; {@link #UNKNOWN} if there is none. */
    public static Status of(int code) {
        for (Status status : VALUES) {
            if (status.code == code) {
                return status;
            }
        }
        return UNKNOWN;
    }
}
