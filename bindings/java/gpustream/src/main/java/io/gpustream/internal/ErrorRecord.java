// SPDX-License-Identifier: Apache-2.0
package io.gpustream.internal;

/**
 * What is known of a failed call: {@code gs_error_info_t} as Java values.
 *
 * @param status the gs_status_t
 * @param text the status's name and the message
 * @param reason GS_REASON_*; 0 unless the status is UNAVAILABLE
 * @param nativeCode the driver's code or errno; 0 if none
 * @param sticky whether the device is unusable from now on
 * @param function the function of the C interface; empty if unknown
 * @param nativeFunction the driver's or system's function; empty if none
 * @param origin where a sticky failure was first seen; empty otherwise
 * @param stream the gs_stream_t that the call was given; 0 if none
 * @param event the gs_event_t that the call was given; 0 if none
 * @param device the gs_device_t that the call was given, or that of its stream or event; DEVICE_NONE if none
 */
public record ErrorRecord(
        int status,
        String text,
        int reason,
        int nativeCode,
        boolean sticky,
        String function,
        String nativeFunction,
        String origin,
        long stream,
        long event,
        int device) {

    /** The record of the call that has just returned {@code status} on this thread. */
    public static ErrorRecord last(int status) {
        Scratch scratch = Scratch.get();
        int got = Native.CALLS.lastError(Layouts.ERROR_INFO.prepare(scratch));
        // The library keeps one record for each thread of the operating system. A virtual thread may have moved to
        // another one since the call, and "not ready" leaves no record: then only the status itself is known.
        if (got != 0 || Layouts.ERROR_INFO.getInt(scratch, "status") != status) {
            return of(status, Native.BRIDGE.text(Native.CALLS.statusMessage(status)));
        }
        return new ErrorRecord(
                status,
                text(status, Layouts.ERROR_INFO.getText(scratch, "message")),
                Layouts.ERROR_INFO.getInt(scratch, "reason"),
                Layouts.ERROR_INFO.getInt(scratch, "native_code"),
                Layouts.ERROR_INFO.getInt(scratch, "sticky") != 0,
                Layouts.ERROR_INFO.getText(scratch, "function"),
                Layouts.ERROR_INFO.getText(scratch, "native_function"),
                Layouts.ERROR_INFO.getText(scratch, "origin"),
                Layouts.ERROR_INFO.getLong(scratch, "stream"),
                Layouts.ERROR_INFO.getLong(scratch, "event"),
                Layouts.ERROR_INFO.getInt(scratch, "device"));
    }

    /** A failure without a record: of asynchronous work, or of a rule of these classes. */
    public static ErrorRecord of(int status, String message) {
        return ofWork(status, message, 0);
    }

    /** A failure of asynchronous work. */
    public static ErrorRecord ofWork(int status, int nativeCode) {
        String message = Native.BRIDGE.text(Native.CALLS.statusMessage(status));
        String text = nativeCode == 0 ? message : message + " (the driver's code is " + nativeCode + ")";
        return ofWork(status, text, nativeCode);
    }

    private static ErrorRecord ofWork(int status, String text, int nativeCode) {
        boolean sticky = status == Constants.ERROR_STICKY;
        return new ErrorRecord(
                status, text(status, text), 0, nativeCode, sticky, "", "", "", 0, 0, Constants.DEVICE_NONE);
    }

    private static String text(int status, String message) {
        return Native.BRIDGE.text(Native.CALLS.statusName(status)) + ": " + message;
    }
}
