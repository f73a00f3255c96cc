// SPDX-License-Identifier: Apache-2.0
// Random state of devices: seeds, states, reservations outside captures, on every backend.
#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include "conformance/random_state.hpp"
#include "support/own_process.hpp"

namespace gs::test {

TEST_P(ConformanceProcess, Random_BeginsWithTorchsSeed) {
    OWN_PROCESS();
    EXPECT_EQ(state_of(0), (RandomState{67280421310721, 0}));
}

TEST_P(Conformance, Random_ReservationsFollowEachOtherInBlocksOfFour) {
    const KeepRandomState keep(0);
    Stream stream = make_stream(0);
    ASSERT_OK(gs_rng_set_state(0, 0xFEDCBA9876543210, 0));
    uint64_t offset = 0;
    for (const uint64_t count : {1u, 4u, 5u, 0u, 8u}) {
        const gs_philox_t philox = reserve(stream, count);
        EXPECT_EQ(philox.captured, 0);
        EXPECT_EQ(philox.seed, 0xFEDCBA9876543210);
        EXPECT_EQ(philox.offset, offset);
        EXPECT_EQ(philox.seed_address | philox.offset_address | philox.offset_in_graph, 0u);
        offset += (count + 3) / 4 * 4;
    }
    EXPECT_EQ(state_of(0), (RandomState{0xFEDCBA9876543210, 24}));
    ASSERT_OK(gs_rng_set_state(0, 7, uint64_t{1} << 40));
    EXPECT_EQ(reserve(GS_STREAM_CURRENT, 1).offset, uint64_t{1} << 40);
}

TEST_P(Conformance, Random_EachDeviceHasItsOwn) {
    GS_NEEDS_DEVICES(2);
    const KeepRandomState keep(0), keep_other(1);
    Stream stream = make_stream(1);
    ASSERT_OK(gs_rng_set_state(0, 1, 0));
    ASSERT_OK(gs_rng_set_state(1, 2, 0));
    EXPECT_EQ(reserve(stream, 9).seed, 2u);
    EXPECT_EQ(state_of(0), (RandomState{1, 0}));
    EXPECT_EQ(state_of(1), (RandomState{2, 12}));
}

TEST_P(Conformance, Random_BadInputChangesNothing) {
    const KeepRandomState keep(0);
    Stream stream = make_stream(0);
    ASSERT_OK(gs_rng_set_state(0, 3, 8));
    gs_philox_t philox{};
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_rng_set_state, "not a multiple of 4", 0, 1, 6);
    EXPECT_STATUS(GS_ERROR_INVALID_DEVICE, gs_rng_set_state(999, 1, 0));
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_rng_reserve, "struct_size", stream, 1, &philox);
    philox.struct_size = sizeof philox;
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_rng_reserve, "2^62", stream, (uint64_t{1} << 62) + 1, &philox);
    EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_rng_reserve(nullptr, 1, &philox));
    EXPECT_EQ(state_of(0), (RandomState{3, 8}));
}

TEST_P(Conformance, Random_ReservationsOfThreadsNeverOverlap) {
    const KeepRandomState keep(0);
    ASSERT_OK(gs_rng_set_state(0, 5, 0));
    constexpr int kThreads = 4;
    constexpr size_t kEach = 500;
    std::vector<std::vector<uint64_t>> found(kThreads);
    std::vector<std::thread> threads;
    for (std::vector<uint64_t> &mine : found)
        threads.emplace_back([&mine] {
            Stream stream = make_stream(0);
            for (size_t i = 0; i < kEach; ++i) mine.push_back(reserve(stream, 3).offset);
        });
    for (std::thread &thread : threads) thread.join();
    std::vector<uint64_t> all;
    for (const std::vector<uint64_t> &mine : found) {
        EXPECT_TRUE(std::is_sorted(mine.begin(), mine.end()));
        all.insert(all.end(), mine.begin(), mine.end());
    }
    std::sort(all.begin(), all.end());
    ASSERT_EQ(all.size(), kThreads * kEach);
    for (size_t i = 0; i < all.size(); ++i) ASSERT_EQ(all[i], 4 * i);
}

// A state that is set concurrently is never mixed with the one before it.
TEST_P(Conformance, Random_AStateIsSeenAsAWhole) {
    const KeepRandomState keep(0);
    ASSERT_OK(gs_rng_set_state(0, 0, 0));
    std::atomic<bool> stop{false};
    std::thread setter([&] {
        for (uint64_t i = 1; !stop; ++i) EXPECT_OK(gs_rng_set_state(0, i, i << 32));
    });
    Stream stream = make_stream(0);
    for (int i = 0; i < 2000; ++i) {
        const gs_philox_t philox = reserve(stream, 4);
        EXPECT_EQ(philox.offset >> 32, philox.seed & 0xFFFFFFFF);
        const RandomState state = state_of(0);
        EXPECT_EQ(state.offset >> 32, state.seed & 0xFFFFFFFF);
    }
    stop = true;
    setter.join();
}

} // namespace gs::test
