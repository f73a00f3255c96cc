// SPDX-License-Identifier: Apache-2.0
// Arithmetic on the polynomials behind CRC-32 (IEEE 802.3, reflected: bit 31 is the coefficient of x^0).
// Shared with the CUDA kernel, therefore plain types and constexpr only.
//
// The CRC register that starts at 0 and is not inverted at the end is linear: call it the raw CRC of some bytes. Then
// raw(a followed by b) = raw(a) * x^(8 * length of b) + raw(b), and zeros in front of the bytes change nothing.
#pragma once

namespace pipeline {

constexpr unsigned kPolynomial = 0xEDB88320u;
constexpr unsigned kOne = 0x80000000u;     // x^0
constexpr unsigned kOneByte = 0x00800000u; // x^8: the factor by which one more byte changes a raw CRC

constexpr unsigned times_x(unsigned a) { return (a & 1u) != 0 ? (a >> 1) ^ kPolynomial : a >> 1; }

constexpr unsigned multiply(unsigned a, unsigned b) {
    unsigned product = 0;
    for (unsigned bit = kOne; bit != 0; bit >>= 1) {
        if ((a & bit) != 0) product ^= b;
        b = times_x(b);
    }
    return product;
}

// x^(8 * bytes): multiplying a raw CRC by it appends that many zero bytes.
constexpr unsigned power_of_bytes(unsigned long long bytes) {
    unsigned result = kOne;
    for (unsigned square = kOneByte; bytes != 0; bytes >>= 1) {
        if ((bytes & 1u) != 0) result = multiply(result, square);
        square = multiply(square, square);
    }
    return result;
}

// One entry of the classic table: what the byte `value` contributes to an empty register.
constexpr unsigned table_entry(unsigned value) {
    for (int bit = 0; bit < 8; ++bit) value = times_x(value);
    return value;
}

} // namespace pipeline
