// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import io.gpustream.internal.Callbacks;
import io.gpustream.internal.ErrorRecord;
import io.gpustream.internal.Threads;
import java.lang.ref.Reference;

/** The one place where a status becomes an exception. */
final class Failure {
    private Failure() {}

    /** Throws unless the status is GS_OK. */
    static void check(int status) {
        if (status != 0) {
            throw of(status);
        }
    }

    /** The same for a call that uses an object, which stays reachable until the call has returned. */
    static void check(int status, Object used) {
        Reference.reachabilityFence(used);
        check(status);
    }

    static void check(int status, Object used, Object other) {
        Reference.reachabilityFence(other);
        check(status, used);
    }

    static void check(int status, Object used, Object other, Object third) {
        Reference.reachabilityFence(third);
        check(status, used, other);
    }

    /** The exception for a status that a call on this thread has just returned. */
    static GpuStreamException of(int status) {
        // What a deferred function threw during initialisation is the cause of the call that initialised.
        Throwable cause = status == Status.SYSTEM.code() ? Callbacks.takeInitFailure() : null;
        ErrorRecord record = ErrorRecord.last(status);
        if (status == Status.DRIVER.code() && record.nativeCode() == Status.SYSTEM.code()) {
            cause = Callbacks.takeBridgeFailure(); // what native/bridged.c returned: a method of Bridge.Streams threw
        }
        return new GpuStreamException(record, cause);
    }

    /** The exception for a failure that the library has no record of. */
    static GpuStreamException of(Status status, String message) {
        return of(status.code(), message);
    }

    /** The same for a status by its number, which these classes may not know. */
    static GpuStreamException of(int status, String message) {
        return new GpuStreamException(ErrorRecord.of(status, message), null);
    }

    /** The exception for asynchronous work that failed. */
    static GpuStreamException ofWork(int status, int nativeCode) {
        return new GpuStreamException(ErrorRecord.ofWork(status, nativeCode), null);
    }

    /** Throws NOT_PERMITTED on a virtual thread: it shares its carrier's state, which {@code method} would change. */
    static void requirePlatformThread(String method) {
        if (Threads.isVirtual()) {
            throw of(
                    Status.NOT_PERMITTED,
                    method + " on a virtual thread: current device and stream belong to the carrier, which other"
                            + " virtual threads share; pass streams explicitly or use a platform thread");
        }
    }
}
