// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

/** Why a backend cannot be used: the reason with {@link Status#UNAVAILABLE}. */
public enum UnavailableReason {
    // Generated list: scripts/generate writes it from include/gpustream.h.
    /** No reason applies (every other status). */
    NONE,
    /** The library is missing or fails to load: the driver's, or the one that {@code Bridge.find()} looks for. */
    NO_LIBRARY,
    /** The library found is the toolkit's link-time stub, not a driver. */
    STUB,
    /** The driver is older than gpustream needs. */
    TOO_OLD,
    /** The driver, or the library that {@code Bridge.find()} looks for, lacks a function that gpustream needs. */
    NO_SYMBOL,
    /** The driver works but offers no device. */
    NO_DEVICE,
    /** This build of gpustream has no such backend. */
    NOT_BUILT,
    // End of the generated list.
    /** A reason that this version of the classes does not know. */
    UNKNOWN;

    static UnavailableReason of(int code) {
        return code >= 0 && code < UNKNOWN.ordinal() ? values()[code] : UNKNOWN;
    }
}
