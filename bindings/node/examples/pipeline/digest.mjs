// SPDX-License-Identifier: Apache-2.0
// CRC-32 and histogram of a range of bytes, combined from chunks in any order. Polynomials are in CRC-32's bit order: bit 31
// is the coefficient of x^0. A raw CRC starts with 0 and is not inverted at the end; then the CRC of a concatenation is a
// sum of shifted CRCs.
const POLYNOMIAL = 0xedb88320;
const ONE = 0x80000000;
const ONE_BYTE = 0x00800000; // x^8

/** Layout shared with the kernel: bytes per block of the grid, counters in front of the slices' CRCs. */
export const SLICE = 16384;
export const BINS = 256;
export const THREADS = 128;

const timesX = (a) => (a & 1 ? (a >>> 1) ^ POLYNOMIAL : a >>> 1) >>> 0;

/** The contribution of a byte to an empty register. */
const table = Uint32Array.from({ length: 256 }, (_, byte) => Array.from({ length: 8 }).reduce((value) => timesX(value), byte));

function multiply(a, b) {
  let product = 0;
  for (let shift = 31; shift >= 0; --shift) {
    if ((a >>> shift) & 1) product ^= b;
    b = timesX(b);
  }
  return product >>> 0;
}

/** x^(8 * bytes): the factor that this many further bytes multiply a raw CRC by. */
function powerOfBytes(bytes) {
  let [result, square] = [ONE, ONE_BYTE];
  for (; bytes > 0; bytes = Math.floor(bytes / 2)) {
    if (bytes % 2 === 1) result = multiply(result, square);
    square = multiply(square, square);
  }
  return result;
}

export class Digest {
  #raw = 0;
  histogram = new Float64Array(BINS);

  constructor(bytes = 0) {
    this.bytes = bytes;
  }

  /** Appends bytes. */
  update(data) {
    let raw = this.#raw;
    for (const byte of data) {
      raw = (raw >>> 8) ^ table[(raw ^ byte) & 255];
      ++this.histogram[byte];
    }
    this.#raw = raw >>> 0;
    this.bytes += data.length;
  }

  /** Adds a chunk's result, as the kernel wrote it, at its offset in the range. */
  place(offset, bytes, result) {
    let raw = 0;
    for (let i = 0; i * SLICE < bytes; ++i) raw = (multiply(raw, powerOfBytes(Math.min(bytes - i * SLICE, SLICE))) ^ result[BINS + i]) >>> 0;
    // The range is the sum of its chunks, each padded with zeros.
    this.#raw = (this.#raw ^ multiply(raw, powerOfBytes(this.bytes - offset - bytes))) >>> 0;
    for (let bin = 0; bin < BINS; ++bin) this.histogram[bin] += result[bin];
  }

  /** The usual CRC starts with all ones and is inverted at the end. */
  get crc32() {
    return (this.#raw ^ multiply(0xffffffff, powerOfBytes(this.bytes)) ^ 0xffffffff) >>> 0;
  }

  equals(other) {
    return this.crc32 === other.crc32 && this.bytes === other.bytes && this.histogram.every((count, bin) => count === other.histogram[bin]);
  }
}
