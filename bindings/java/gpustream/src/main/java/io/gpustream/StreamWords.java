// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import io.gpustream.internal.Constants;
import io.gpustream.internal.Native;
import io.gpustream.internal.lifetime.Handle;
import java.util.Objects;

/** Words of memory that a {@link Stream} writes and waits for. Only streams are one. */
public sealed interface StreamWords permits Stream {
    private Handle held() {
        return ((StreamNatives) this).handle;
    }

    /**
     * Writes a word of memory when the work submitted so far is done: for flags of the program's own, which other
     * streams, devices or threads watch. A {@link Timeline} is the safer tool: it keeps its order, can be aborted, and its
     * circles are found. Allocates nothing.
     *
     * @param word where to; its memory must stay open until the write is done
     * @param value what is written; 0 to 2^32 - 1 for a word of 32 bits
     * @throws GpuStreamException INVALID_ARGUMENT (the address is 0 or not aligned to the word's width, the value is too
     *     large, or the driver does not know the memory), NOT_SUPPORTED (the device has no such operations of that
     *     width), CAPTURING while the stream is captured, which stays intact
     * @throws IllegalStateException if the memory or the stream is closed
     */
    default void writeValue(MemoryWord word, long value) {
        write(Objects.requireNonNull(word, "word"), value, 0);
    }

    /**
     * As {@link Stream#writeValue}, but the stream's earlier writes need not be visible to those who see the word change.
     *
     * @param word where to
     * @param value what is written
     * @throws GpuStreamException as {@link Stream#writeValue}
     * @throws IllegalStateException if the memory or the stream is closed
     */
    default void writeValueWithoutBarrier(MemoryWord word, long value) {
        write(Objects.requireNonNull(word, "word"), value, Constants.VALUE_NO_BARRIER);
    }

    private void write(MemoryWord word, long value, int flags) {
        Failure.check(
                Native.CALLS.streamWriteValue(held().use(), word.address(), value, word.widthFlag() | flags),
                this, word);
    }

    /**
     * Makes work submitted to this stream from now on wait until a word of memory meets a condition. The library cannot
     * know what writes the word. If no write meets the condition, the stream stays so, and so does everything that waits for
     * the stream. Allocates nothing.
     *
     * @param word where; its memory must stay open until the condition is met
     * @param condition how the word is compared
     * @param value what with; 0 to 2^32 - 1 for a word of 32 bits
     * @throws GpuStreamException as {@link Stream#writeValue}; also NOT_SUPPORTED (the device lacks the condition)
     * @throws IllegalStateException if the memory or the stream is closed
     */
    default void waitValue(MemoryWord word, WordCondition condition, long value) {
        await(Objects.requireNonNull(word, "word"), Objects.requireNonNull(condition, "condition").bits, value);
    }

    /**
     * As {@link Stream#waitValue}. What other devices wrote before the word is visible to the work that follows.
     *
     * @param word where
     * @param condition how the word is compared
     * @param value what with
     * @throws GpuStreamException as {@link Stream#waitValue}; also NOT_SUPPORTED (the device cannot do that)
     * @throws IllegalStateException if the memory or the stream is closed
     */
    default void waitValueAndFlush(MemoryWord word, WordCondition condition, long value) {
        int bits = Objects.requireNonNull(condition, "condition").bits | Constants.VALUE_FLUSH;
        await(Objects.requireNonNull(word, "word"), bits, value);
    }

    private void await(MemoryWord word, int flags, long value) {
        Failure.check(
                Native.CALLS.streamWaitValue(held().use(), word.address(), value, word.widthFlag() | flags),
                this, word);
    }
}
