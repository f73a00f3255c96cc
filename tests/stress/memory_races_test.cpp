// SPDX-License-Identifier: Apache-2.0
// Memory that threads allocate, hand to one another and free, in streams that they share, while others look at the numbers.
#include <array>
#include <cstddef>

#include "stress.hpp"

namespace gs::test {
namespace {

using Pool = Owner<gs_pool_t, gs_pool_destroy>;

Pool make_pool() {
    gs_pool_t pool = nullptr;
    EXPECT_OK(gs_pool_create(0, nullptr, &pool));
    return Pool(pool);
}

gs_pool_stats_t stats_of(gs_pool_t pool, size_t size = sizeof(gs_pool_stats_t)) {
    gs_pool_stats_t stats{};
    stats.struct_size = static_cast<uint32_t>(size);
    EXPECT_OK(gs_pool_get_stats(pool, &stats));
    return stats;
}

TEST(MemoryRaces, BlocksChangeThreads) {
    constexpr int kThreads = 6;
    const int steps = rounds(2000, 300);
    Pool pool = make_pool();
    const std::array<Stream, 2> streams{make_stream(0), make_stream(0)};
    std::array<std::atomic<void *>, 8> places{};
    run_threads(kThreads, [&](int i) {
        Random random(static_cast<uint32_t>(i));
        for (int step = 0; step < steps; ++step) {
            const gs_stream_t stream = streams[random.below(2)];
            void *block = nullptr;
            EXPECT_OK(gs_pool_malloc(pool, 1 + random.below(4 * 512), stream, &block));
            block = places[random.below(8)].exchange(block);
            if (block) EXPECT_OK(gs_free_async(block, streams[random.below(2)]));
            if (i == 0) {
                // Read without the lock, and with it: each number is one that was true at a time.
                const uint64_t alone = stats_of(pool, offsetof(gs_pool_stats_t, allocated_peak_bytes)).allocated_bytes;
                EXPECT_LE(alone, uint64_t{kThreads + 8} * 2048);
                EXPECT_EQ(alone % 512, 0u);
                const gs_pool_stats_t all = stats_of(pool);
                EXPECT_EQ(all.blocks, all.allocations - all.frees);
                EXPECT_LE(all.requested_bytes, all.allocated_bytes);
                EXPECT_LE(all.allocated_bytes, all.allocated_peak_bytes);
            }
            if (i == 1 && step % 64 == 0) EXPECT_OK(gs_pool_trim(pool, 0));
        }
    });
    for (auto &place : places)
        if (void *block = place.load()) EXPECT_OK(gs_free_async(block, streams[0]));
    const gs_pool_stats_t stats = stats_of(pool);
    EXPECT_EQ(stats.allocated_bytes + stats.requested_bytes + stats.blocks, 0u);
    EXPECT_EQ(stats.allocations, uint64_t{kThreads} * static_cast<uint64_t>(steps));
    EXPECT_EQ(stats.frees, stats.allocations);
}

} // namespace
} // namespace gs::test
