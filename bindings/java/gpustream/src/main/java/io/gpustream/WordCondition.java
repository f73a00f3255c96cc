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
    /** One of the bits that the value has not is missing in the word: {@code ~(word | value)} is not 0. */
    NOR(Constants.VALUE_NOR);

    final int bits;

    WordCondition(int bits) {
        this.bits = bits;
    }
}
