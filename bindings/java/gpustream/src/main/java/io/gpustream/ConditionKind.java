// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

/** What a conditional node of a graph does with its bodies. */
public enum ConditionKind {
    // Generated list: scripts/generate writes it from include/gpustream.h.
    /** Runs the first body if the condition is not 0, else the second one if there is one. */
    IF,
    /** Runs the body as long as the condition is not 0. */
    WHILE,
    /** Runs the body whose index the condition is, if there is one. */
    SWITCH,
    // End of the generated list.
}
