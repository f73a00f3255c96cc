// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import io.gpustream.internal.Constants;

/** What {@link Stream#waitValue} waits for. */
public enum WordCondition {
    /** The word is at least the value, cyclically: the signed difference is not negative. */
    GREATER_EQUAL(Constants.VALUE_GEQ),
    /** The word equals the value. */
    EQUAL(Constants.VALUE_EQ),
    /** The word has one of the value's bits. */
    AND(Constants.VALUE_AND),
    /** Some bit is 0 in both the word and the value: {@code ~(word | value)} is not 0. */
    NOR(Constants.VALUE_NOR);

    final int bits;

    WordCondition(int bits) {
        this.bits = bits;
    }
}
