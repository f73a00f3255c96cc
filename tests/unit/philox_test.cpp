// SPDX-License-Identifier: Apache-2.0
// The numbers of gpustream_philox.h: the known answers that Random123 publishes (kat_vectors), and how seed, sequence and
// offset make key and counter, which cuRAND documents; and cuRAND's own.
#include "gpustream_philox.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace gs::test {
namespace {

std::vector<uint32_t> draw(uint64_t seed, uint64_t sequence, uint64_t offset, size_t count) {
    gs_philox_sequence_t state;
    gs_philox_begin(&state, seed, sequence, offset);
    std::vector<uint32_t> numbers(count);
    for (uint32_t &number : numbers) number = gs_philox_next(&state);
    return numbers;
}

} // namespace

TEST(Philox, KnownAnswersOfRandom123) {
    struct Known {
        uint32_t counter[4], key[2], out[4];
    };
    const Known all[] = {
        {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
        {{~0u, ~0u, ~0u, ~0u}, {~0u, ~0u}, {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
        {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
         {0xa4093822, 0x299f31d0},
         {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
    };
    for (const Known &known : all) {
        uint32_t out[4] = {};
        gs_philox_block(known.key, known.counter, out);
        EXPECT_TRUE(std::equal(out, out + 4, known.out));
    }
}

// What curand_init(seed, sequence, offset), curand() and curand_uniform() return in cuRAND 10.3.10 (the header
// curand_kernel.h of its wheel, compiled for the host by g++ 12).
TEST(Philox, NumbersOfCuRand) {
    struct Known {
        uint64_t seed, sequence, offset;
        uint32_t numbers[6];
        float uniform[3];
    };
    const Known all[] = {
        {0,
         0,
         0,
         {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8, 0xf8e4cca4, 0x5cb200db},
         {0x1.989fa4p-2f, 0x1.c2d38cp-1f, 0x1.78af58p-1f}},
        {42,
         7,
         3,
         {0x557398d3, 0xe5dde940, 0x600f6196, 0x8fcdf8f1, 0x2c8ed839, 0x24ecfc6e},
         {0x1.55ce64p-2f, 0x1.cbbbd2p-1f, 0x1.803d86p-2f}},
        {0x123456789abcdef0,
         0xfedcba9876543210,
         5,
         {0x6cadf41d, 0x912fd5e6, 0x5ae0422f, 0xa2b03895, 0x25b3d2d3, 0x36bdab46},
         {0x1.b2b7dp-2f, 0x1.225facp-1f, 0x1.6b8108p-2f}},
        {11,
         1,
         0xffffffff,
         {0x5703f3ad, 0xc0177e8f, 0x8fe18c79, 0x71660fe2, 0x9701b5a2, 0xfbbd34af},
         {0x1.5c0fcep-2f, 0x1.802efep-1f, 0x1.1fc318p-1f}},
        {~uint64_t{0},
         3,
         0x1234567890,
         {0x689620ce, 0x0bfe222a, 0x2b1bb38c, 0xf929f1c6, 0x9062ed86, 0x837f2585},
         {0x1.a25884p-2f, 0x1.7fc446p-5f, 0x1.58dd9cp-3f}},
        {1,
         0x100000000,
         0x3fffffffe,
         {0xb6e79ac5, 0xfad8d170, 0xcac557cc, 0x939c9714, 0x23738f87, 0x97a02f93},
         {0x1.6dcf36p-1f, 0x1.f5b1a2p-1f, 0x1.958abp-1f}},
    };
    for (const Known &known : all) {
        SCOPED_TRACE(known.seed);
        EXPECT_EQ(draw(known.seed, known.sequence, known.offset, 6),
                  std::vector<uint32_t>(known.numbers, known.numbers + 6));
        gs_philox_sequence_t state;
        gs_philox_begin(&state, known.seed, known.sequence, known.offset);
        for (const float expected : known.uniform) EXPECT_EQ(gs_philox_uniform(&state), expected);
    }
}

// The same answers by seed, sequence and offset: the low half of a number comes first.
TEST(Philox, SequenceAndOffsetAreTheCounter) {
    EXPECT_EQ(draw(0, 0, 0, 4), (std::vector<uint32_t>{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
    gs_philox_sequence_t state;
    gs_philox_begin(&state, 0x299f31d0a4093822, 0x0370734413198a2e, 6);
    EXPECT_EQ(state.counter[0], 1u);
    EXPECT_EQ(state.counter[2], 0x13198a2eu);
    EXPECT_EQ(state.counter[3], 0x03707344u);
    EXPECT_EQ(state.drawn, 2u);
    state.counter[0] = 0x243f6a88 - 1; // the block before the known one, whose number no offset of 64 bits reaches
    state.counter[1] = 0x85a308d3;
    (void)gs_philox_next(&state);
    (void)gs_philox_next(&state);
    for (const uint32_t expected : {0xd16cfe09u, 0x94fdccebu, 0x5001e420u, 0x24126ea1u})
        EXPECT_EQ(gs_philox_next(&state), expected);
}

TEST(Philox, AnOffsetSkipsNumbers) {
    const std::vector<uint32_t> all = draw(42, 7, 0, 40);
    for (size_t offset = 0; offset < 20; ++offset)
        EXPECT_EQ(draw(42, 7, offset, 20), std::vector<uint32_t>(all.begin() + static_cast<long>(offset),
                                                                 all.begin() + static_cast<long>(offset) + 20));
    EXPECT_NE(draw(42, 8, 0, 4), draw(42, 7, 0, 4));
    EXPECT_NE(draw(43, 7, 0, 4), draw(42, 7, 0, 4));
}

TEST(Philox, TheCounterCarries) {
    gs_philox_sequence_t state;
    gs_philox_begin(&state, 1, 2, (uint64_t{1} << 34) - 1); // the last number of block 2^32 - 1
    EXPECT_EQ(state.counter[0], UINT32_MAX);
    (void)gs_philox_next(&state);
    EXPECT_EQ(state.counter[0], 0u);
    EXPECT_EQ(state.counter[1], 1u);
    EXPECT_EQ(state.counter[2], 2u);
    EXPECT_EQ(gs_philox_next(&state), draw(1, 2, uint64_t{1} << 34, 1)[0]);
}

TEST(Philox, UniformNumbersAreAboveZeroAndAtMostOne) {
    gs_philox_sequence_t state;
    gs_philox_begin(&state, 3, 0, 0);
    double sum = 0;
    constexpr int kNumbers = 10000;
    for (int i = 0; i < kNumbers; ++i) {
        const float number = gs_philox_uniform(&state);
        ASSERT_GT(number, 0.0f);
        ASSERT_LE(number, 1.0f);
        sum += static_cast<double>(number);
    }
    EXPECT_NEAR(sum / kNumbers, 0.5, 0.02); // seven standard deviations; the numbers are always the same
    state.drawn = 0;
    state.block[0] = 0;
    EXPECT_GT(gs_philox_uniform(&state), 0.0f);
    state.block[1] = UINT32_MAX;
    EXPECT_EQ(gs_philox_uniform(&state), 1.0f);
}

} // namespace gs::test
