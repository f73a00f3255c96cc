// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

/** Why an executable could not be updated from a graph. */
public enum UpdateReason {
    // Generated list: scripts/generate writes it from include/gpustream.h.
    /** It was updated. */
    OK,
    /** For a reason that the driver does not tell. */
    ERROR,
    /** The graphs have other nodes or edges. */
    TOPOLOGY,
    /** A node has another kind. */
    KIND,
    /** A kernel node has another kernel, and the driver cannot exchange it. */
    FUNCTION,
    /** A node's parameters changed in a way that needs a new executable. */
    PARAMETERS,
    /** A node's kind cannot be updated. */
    NOT_SUPPORTED,
    /** A kernel node has another kernel that is not of the same sort. */
    FUNCTION_SORT,
    /** A node's attributes changed in a way that needs a new executable. */
    ATTRIBUTES,
    // End of the generated list.
    /** A reason that this version of the classes does not know. */
    UNKNOWN;

    static UpdateReason of(int code) {
        return code >= 0 && code < UNKNOWN.ordinal() ? values()[code] : UNKNOWN;
    }
}
