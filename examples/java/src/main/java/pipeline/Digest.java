// SPDX-License-Identifier: Apache-2.0
package pipeline;

import java.util.Arrays;

/**
 * CRC-32 and byte histogram of a range, combined from its chunks in any order. The kernel computes the raw CRC
 * of each slice of a chunk; raw CRCs combine by polynomial arithmetic (see examples/pipeline/crc_math.hpp).
 */
final class Digest {
    static final int SLICE_BYTES = 16384;
    static final int BINS = 256;

    private static final int POLYNOMIAL = 0xEDB88320;
    private static final int ONE = 0x80000000; // x^0
    private static final int ONE_BYTE = 0x00800000; // x^8
    private static final int NEXT_SLICE = powerOfBytes(SLICE_BYTES);

    private final long total;
    private final long[] histogram = new long[BINS];
    private long bytes;
    private int raw;

    /** For a range of that many bytes. */
    Digest(long total) {
        this.total = total;
    }

    static int slices(int bytes) {
        return (bytes + SLICE_BYTES - 1) / SLICE_BYTES;
    }

    /** Size of a kernel's result for a chunk, in ints: the bins, then a raw CRC per slice. */
    static int resultInts(int bytes) {
        return BINS + slices(bytes);
    }

    /** Adds the kernel's result for the chunk at an offset. */
    synchronized void place(long offset, int chunkBytes, java.nio.IntBuffer result) {
        int chunk = 0;
        for (int i = 0; i < slices(chunkBytes); i++) {
            int rest = chunkBytes - i * SLICE_BYTES;
            int shift = rest >= SLICE_BYTES ? NEXT_SLICE : powerOfBytes(rest);
            chunk = multiply(chunk, shift) ^ result.get(BINS + i);
        }
        // The chunk stands at its place in a range of zeros; the range is the sum of all such ranges.
        raw ^= multiply(chunk, powerOfBytes(total - offset - chunkBytes));
        for (int bin = 0; bin < BINS; bin++) {
            histogram[bin] += Integer.toUnsignedLong(result.get(bin));
        }
        bytes += chunkBytes;
    }

    synchronized long bytes() {
        return bytes;
    }

    /** The usual CRC starts with all ones instead of zeros and is inverted at the end. */
    synchronized int crc32() {
        return raw ^ multiply(-1, powerOfBytes(bytes)) ^ -1;
    }

    synchronized boolean hasHistogram(long[] other) {
        return Arrays.equals(histogram, other);
    }

    private static int timesX(int a) {
        return (a & 1) != 0 ? a >>> 1 ^ POLYNOMIAL : a >>> 1;
    }

    private static int multiply(int a, int b) {
        int product = 0;
        for (int bit = ONE; bit != 0; bit >>>= 1) {
            if ((a & bit) != 0) {
                product ^= b;
            }
            b = timesX(b);
        }
        return product;
    }

    private static int powerOfBytes(long count) {
        int result = ONE;
        for (int square = ONE_BYTE; count != 0; count >>>= 1) {
            if ((count & 1) != 0) {
                result = multiply(result, square);
            }
            square = multiply(square, square);
        }
        return result;
    }
}
