// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import io.gpustream.internal.ErrorRecord;

/**
 * A call of the library failed. Unless its description says otherwise, it has changed nothing.
 *
 * <p>Methods list the statuses that have a particular meaning there. Besides these:
 *
 * <ul>
 *   <li>every method that calls the library may throw OUT_OF_MEMORY, INTERNAL and, in a forked child, BAD_FORK;
 *   <li>methods that act on a device also NOT_PERMITTED inside a native host function, and, if they start a backend,
 *       UNAVAILABLE, INVALID_ARGUMENT (an environment variable), SYSTEM or DRIVER; a failed start is final;
 *   <li>methods that ask the driver also DRIVER, SYSTEM, CAPTURING (the driver refuses because of a stream capture),
 *       STICKY, CONTEXT_LOST and SHUTDOWN. CUDA may report errors of earlier asynchronous work from any call;
 *   <li>methods of an object that another thread closes during the call also INVALID_HANDLE.
 * </ul>
 */
public class GpuStreamException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** What went wrong. */
    private final Status status;
    /** Its number. */
    private final int statusCode;
    /** Why the backend cannot be used. */
    private final UnavailableReason reason;
    /** The driver's code, or errno. */
    private final int nativeCode;
    /** Whether the device is unusable from now on. */
    private final boolean sticky;
    /** The function of the C interface. */
    private final String function;
    /** The driver's or system's function. */
    private final String nativeFunction;
    /** Where a sticky failure was first seen. */
    private final String origin;
    /** The stream that the call was given. A number of this process: it is not serialized. */
    private final transient long streamHandle;
    /** The event that the call was given. */
    private final transient long eventHandle;
    /** The device that the call was given, as the library's number. */
    private final int deviceNumber;

    GpuStreamException(ErrorRecord record, Throwable cause) {
        super(record.text(), cause);
        statusCode = record.status();
        status = Status.of(statusCode);
        reason = UnavailableReason.of(record.reason());
        nativeCode = record.nativeCode();
        sticky = record.sticky();
        function = record.function();
        nativeFunction = record.nativeFunction();
        origin = record.origin();
        streamHandle = record.stream();
        eventHandle = record.event();
        deviceNumber = record.device();
    }

    /** {@return what went wrong; never {@link Status#OK}} */
    public Status status() {
        return status;
    }

    /** {@return the number behind {@link #status()}, also where that is {@link Status#UNKNOWN}} */
    public int statusCode() {
        return statusCode;
    }

    /** {@return why the backend cannot be used; {@link UnavailableReason#NONE} unless the status is UNAVAILABLE} */
    public UnavailableReason reason() {
        return reason;
    }

    /** {@return the driver's code (a CUresult), or errno with {@link Status#SYSTEM}; 0 if none} */
    public int nativeCode() {
        return nativeCode;
    }

    /** {@return whether the device is unusable from now on in this process} */
    public boolean sticky() {
        return sticky;
    }

    /** {@return the function of the C interface that failed, such as "gs_event_record"; empty if unknown} */
    public String function() {
        return function;
    }

    /** {@return the driver's or system's function that failed; empty if none} */
    public String nativeFunction() {
        return nativeFunction;
    }

    /** {@return where a sticky failure was first seen; empty otherwise} */
    public String origin() {
        return origin;
    }

    /**
     * {@return the stream that the failed call was given, as a number, a {@code gs_stream_t}; 0 if none, and in an exception that
     * was deserialized} The stream may have ended since.
     */
    public long streamHandle() {
        return streamHandle;
    }

    /** {@return the event that the failed call was given, as {@link Event#handle()}; 0 as for {@link #streamHandle()}} */
    public long eventHandle() {
        return eventHandle;
    }

    /**
     * {@return the device that the failed call was given, else that of its stream or event, as a number, a {@code
     * gs_device_t}; below 0 if no device is known} See {@link Device#of(GpuStreamException)}.
     */
    public int deviceNumber() {
        return deviceNumber;
    }
}
