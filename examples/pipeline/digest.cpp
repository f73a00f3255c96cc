// SPDX-License-Identifier: Apache-2.0
#include "digest.hpp"

#include "crc_math.hpp"
#include "crc_tables.hpp"

namespace pipeline {

uint32_t raw_crc(uint32_t crc, const unsigned char *data, size_t bytes) {
    for (; bytes >= 8; bytes -= 8, data += 8) crc = raw_crc_of_eight(crc, data);
    for (; bytes != 0; --bytes, ++data) crc = raw_crc_of_one(crc, *data);
    return crc;
}

void Digest::update(const unsigned char *data, size_t bytes) {
    raw_ = raw_crc(raw_, data, bytes);
    for (size_t i = 0; i < bytes; ++i) ++histogram_[data[i]];
    bytes_ += bytes;
}

void Digest::place(uint64_t offset, uint32_t bytes, const uint32_t *result, uint64_t total) {
    constexpr uint32_t kNextSlice = power_of_bytes(kSliceBytes);
    const uint32_t *slices = result + kBins;
    const uint32_t count = slice_count(bytes);
    uint32_t raw = 0;
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t rest = bytes - i * kSliceBytes;
        raw = multiply(raw, rest >= kSliceBytes ? kNextSlice : power_of_bytes(rest)) ^ slices[i];
    }
    // The chunk is at its place in a range of zeros; the whole range is the sum of all such ranges.
    raw_ ^= multiply(raw, power_of_bytes(total - offset - bytes));
    for (uint32_t bin = 0; bin < kBins; ++bin) histogram_[bin] += result[bin];
    bytes_ += bytes;
}

void Digest::append(const Digest &next) {
    raw_ = multiply(raw_, power_of_bytes(next.bytes_)) ^ next.raw_;
    for (uint32_t bin = 0; bin < kBins; ++bin) histogram_[bin] += next.histogram_[bin];
    bytes_ += next.bytes_;
}

uint32_t Digest::crc32() const {
    // The usual CRC starts with all ones instead of zeros and is inverted at the end.
    return raw_ ^ multiply(~0u, power_of_bytes(bytes_)) ^ ~0u;
}

} // namespace pipeline
