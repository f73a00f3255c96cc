// SPDX-License-Identifier: Apache-2.0
// The arithmetic of the pipeline example: CRC-32 of whole data, in pieces, in any order, and as computed by the host kernel.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "crc_math.hpp"
#include "digest.hpp"

namespace pipeline {
namespace {

using Bytes = std::vector<unsigned char>;

Bytes random_bytes(size_t count, unsigned seed) {
    std::mt19937 random(seed);
    Bytes bytes(count);
    for (unsigned char &byte : bytes) byte = static_cast<unsigned char>(random());
    return bytes;
}

Digest digest_of(const Bytes &bytes) {
    Digest digest;
    digest.update(bytes.data(), bytes.size());
    return digest;
}

// The definition of CRC-32, bit by bit.
uint32_t crc32_by_definition(const Bytes &bytes) {
    uint32_t crc = ~0u;
    for (const unsigned char byte : bytes) {
        crc ^= byte;
        for (int bit = 0; bit < 8; ++bit) crc = (crc & 1u) != 0 ? (crc >> 1) ^ 0xEDB88320u : crc >> 1;
    }
    return ~crc;
}

// A kernel's result for a chunk, computed slice by slice.
std::vector<uint32_t> kernel_result(const unsigned char *data, uint32_t bytes) {
    std::vector<uint32_t> result(result_words(bytes));
    for (uint32_t i = 0; i < bytes; ++i) ++result[data[i]];
    for (uint32_t slice = 0; slice < slice_count(bytes); ++slice) {
        const uint32_t begin = slice * kSliceBytes;
        result[kBins + slice] = raw_crc(0, data + begin, std::min(bytes - begin, kSliceBytes));
    }
    return result;
}

TEST(Crc, KnowsTheCheckValueOfTheStandard) {
    const std::string digits = "123456789";
    EXPECT_EQ(digest_of(Bytes(digits.begin(), digits.end())).crc32(), 0xCBF43926u);
    EXPECT_EQ(Digest().crc32(), 0u);
}

TEST(Crc, FollowsTheDefinitionAtEveryLength) {
    for (size_t length = 0; length < 100; ++length) {
        const Bytes bytes = random_bytes(length, static_cast<unsigned>(length));
        EXPECT_EQ(digest_of(bytes).crc32(), crc32_by_definition(bytes)) << length;
    }
}

TEST(Crc, PowersMultiply) {
    for (const unsigned long long a : {0ull, 1ull, 7ull, 16384ull, 5'000'000'000ull}) {
        for (const unsigned long long b : {0ull, 1ull, 129ull, 1ull << 40}) {
            EXPECT_EQ(multiply(power_of_bytes(a), power_of_bytes(b)), power_of_bytes(a + b)) << a << " " << b;
        }
    }
    // Appending one zero byte is one step of the table.
    const uint32_t raw = 0x12345678u;
    const unsigned char zero = 0;
    EXPECT_EQ(multiply(raw, power_of_bytes(1)), raw_crc(raw, &zero, 1));
}

TEST(Digest, AppendsPieces) {
    const Bytes bytes = random_bytes(10'000, 1);
    for (const size_t cut : {size_t{0}, size_t{1}, size_t{4097}, bytes.size()}) {
        const auto middle = bytes.begin() + static_cast<std::ptrdiff_t>(cut);
        Digest digest = digest_of(Bytes(bytes.begin(), middle));
        digest.append(digest_of(Bytes(middle, bytes.end())));
        EXPECT_EQ(digest, digest_of(bytes)) << cut;
    }
}

TEST(Digest, PlacesChunksInAnyOrder) {
    std::mt19937 random(2);
    for (const uint32_t chunk_bytes : {1u, 1000u, kSliceBytes - 1, kSliceBytes, kSliceBytes + 1, 100'000u}) {
        const Bytes bytes = random_bytes(chunk_bytes == 1 ? 300 : 250'000, chunk_bytes);
        std::vector<uint64_t> offsets;
        for (uint64_t offset = 0; offset < bytes.size(); offset += chunk_bytes) offsets.push_back(offset);
        std::shuffle(offsets.begin(), offsets.end(), random);
        Digest digest;
        for (const uint64_t offset : offsets) {
            const auto size = static_cast<uint32_t>(std::min<uint64_t>(chunk_bytes, bytes.size() - offset));
            digest.place(offset, size, kernel_result(bytes.data() + offset, size).data(), bytes.size());
        }
        EXPECT_EQ(digest, digest_of(bytes)) << chunk_bytes;
    }
}

TEST(Digest, SeesExchangedChunks) {
    const Bytes bytes = random_bytes(2000, 3);
    const auto first = kernel_result(bytes.data(), 1000);
    const auto second = kernel_result(bytes.data() + 1000, 1000);
    Digest exchanged;
    exchanged.place(1000, 1000, first.data(), 2000);
    exchanged.place(0, 1000, second.data(), 2000);
    EXPECT_EQ(exchanged.histogram(), digest_of(bytes).histogram());
    EXPECT_NE(exchanged.crc32(), digest_of(bytes).crc32());
}

TEST(Digest, CountsEachByteValue) {
    Bytes bytes(256);
    std::iota(bytes.begin(), bytes.end(), static_cast<unsigned char>(0));
    bytes.push_back(7);
    const Digest digest = digest_of(bytes);
    for (size_t bin = 0; bin < kBins; ++bin) EXPECT_EQ(digest.histogram()[bin], bin == 7 ? 2u : 1u);
    EXPECT_EQ(digest.bytes(), 257u);
}

} // namespace
} // namespace pipeline
