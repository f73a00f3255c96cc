// SPDX-License-Identifier: Apache-2.0
// A check of bytes that other processes or the network had. It finds accidents, and is no defence against malice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace gs {

// FNV-1a, of eight bytes at a time. bytes: a multiple of 8.
inline uint64_t checksum(const void *data, size_t bytes) noexcept {
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < bytes; i += sizeof(uint64_t)) {
        uint64_t word = 0;
        std::memcpy(&word, static_cast<const char *>(data) + i, sizeof word);
        hash = (hash ^ word) * 0x100000001b3u;
        hash ^= hash >> 29;
    }
    return hash;
}

} // namespace gs
