// SPDX-License-Identifier: Apache-2.0
// Tables for computing a CRC-32 eight bytes at a time, made by the compiler.
#pragma once

#include <array>
#include <cstdint>

#include "crc_math.hpp"

namespace pipeline {

using CrcTables = std::array<std::array<uint32_t, 256>, 8>;

// Table k: the contribution of a byte that k more bytes follow.
constexpr CrcTables make_crc_tables() {
    CrcTables tables{};
    for (uint32_t value = 0; value < 256; ++value) tables[0][value] = table_entry(value);
    for (uint32_t k = 1; k < 8; ++k) {
        for (uint32_t value = 0; value < 256; ++value) {
            const uint32_t shorter = tables[k - 1][value];
            tables[k][value] = tables[0][shorter & 0xFFu] ^ (shorter >> 8);
        }
    }
    return tables;
}

inline constexpr CrcTables kCrcTables = make_crc_tables();

inline uint32_t raw_crc_of_one(uint32_t crc, unsigned char byte) {
    return kCrcTables[0][(crc ^ byte) & 0xFFu] ^ (crc >> 8);
}

inline uint32_t raw_crc_of_eight(uint32_t crc, const unsigned char *data) {
    const CrcTables &t = kCrcTables;
    return t[7][data[0] ^ (crc & 0xFFu)] ^ t[6][data[1] ^ (crc >> 8 & 0xFFu)] ^ t[5][data[2] ^ (crc >> 16 & 0xFFu)] ^
           t[4][data[3] ^ (crc >> 24)] ^ t[3][data[4]] ^ t[2][data[5]] ^ t[1][data[6]] ^ t[0][data[7]];
}

} // namespace pipeline
