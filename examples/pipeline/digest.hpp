// SPDX-License-Identifier: Apache-2.0
// What the pipeline computes about bytes: their CRC-32 and how often each byte value occurs.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "kernel_layout.hpp"

namespace pipeline {

// The raw CRC (see crc_math.hpp) of earlier bytes, continued with more.
uint32_t raw_crc(uint32_t crc, const unsigned char *data, size_t bytes);

// A digest of one piece of a file. Pieces combine by append() in order, or by place() in any order.
class Digest {
public:
    // Continues with the next bytes, one after the other, on the calling thread.
    void update(const unsigned char *data, size_t bytes);
    // Adds a kernel's result for the chunk [offset, offset + bytes) of a range of `total` bytes. Chunks may
    // come in any order; the digest is meaningful when each has come once.
    void place(uint64_t offset, uint32_t bytes, const uint32_t *result, uint64_t total);
    // This piece followed by the next.
    void append(const Digest &next);

    uint64_t bytes() const { return bytes_; }
    // The same value as zlib's crc32() and the tools named crc32.
    uint32_t crc32() const;
    const std::array<uint64_t, kBins> &histogram() const { return histogram_; }
    bool operator==(const Digest &other) const = default;

private:
    uint64_t bytes_ = 0;
    uint32_t raw_ = 0;
    std::array<uint64_t, kBins> histogram_{};
};

} // namespace pipeline
