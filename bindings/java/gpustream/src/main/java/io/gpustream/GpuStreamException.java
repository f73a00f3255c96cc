// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

/** A call of the library failed. What it was to change is unchanged unless its description says otherwise. */
public class GpuStreamException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final Status status;
    private final int statusCode;
    private final UnavailableReason reason;
    private final int nativeCode;
    private final boolean sticky;
    private final String function;
    private final String nativeFunction;
    private final String origin;

    GpuStreamException(Failure failure, Throwable cause) {
        super(failure.text(), cause);
        statusCode = failure.statusCode();
        status = Status.of(statusCode);
        reason = UnavailableReason.of(failure.reason());
        nativeCode = failure.nativeCode();
        sticky = failure.sticky();
        function = failure.function();
        nativeFunction = failure.nativeFunction();
        origin = failure.origin();
    }

    /** What the call came to; never {@link Status#OK}. */
    public Status status() {
        return status;
    }

    /** The number behind {@link #status()}, also where that is {@link Status#UNKNOWN}. */
    public int statusCode() {
        return statusCode;
    }

    /** Why the backend cannot be used; {@link UnavailableReason#NONE} unless the status is UNAVAILABLE. */
    public UnavailableReason reason() {
        return reason;
    }

    /** The driver's code (a CUresult), or errno beside {@link Status#SYSTEM}; 0 if none. */
    public int nativeCode() {
        return nativeCode;
    }

    /** Whether the device is unusable from now on in this process. */
    public boolean sticky() {
        return sticky;
    }

    /** The function of the C interface that failed, such as "gs_event_record"; empty if unknown. */
    public String function() {
        return function;
    }

    /** The driver's or system's function that failed; empty if none. */
    public String nativeFunction() {
        return nativeFunction;
    }

    /** Where a sticky failure was first seen; empty otherwise. */
    public String origin() {
        return origin;
    }
}
