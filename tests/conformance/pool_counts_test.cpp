// SPDX-License-Identifier: Apache-2.0
// What pools count beside the bytes in use, and which of the numbers ask the driver.
#include <cstddef>
#include <vector>

#include "conformance/pools.hpp"

namespace gs::test {

TEST_P(Conformance, PoolCounts_PeaksAndTotals) {
    Stream stream = make_stream();
    Pool pool = make_pool();
    std::vector<void *> blocks;
    for (int i = 0; i < 3; ++i) blocks.push_back(allocate(pool, 1000, stream));
    for (void *block : blocks) ASSERT_OK(gs_free_async(block, stream));
    ASSERT_OK(gs_free_async(allocate(pool, 900, stream), stream)); // a block that the stream has kept
    gs_pool_stats_t stats = stats_of(pool);
    EXPECT_EQ(stats.blocks_peak, 3u);
    EXPECT_EQ(stats.requested_peak_bytes, 3000u);
    EXPECT_EQ(stats.cached_peak_bytes, 3072u);
    EXPECT_EQ(stats.allocated_total_bytes, 4096u);
    EXPECT_EQ(stats.requested_total_bytes, 3900u);
    EXPECT_EQ(stats.segments, 3u);
    EXPECT_EQ(stats.segments_peak, 3u);
    EXPECT_EQ(stats.segment_allocations, 3u);
    ASSERT_OK(gs_pool_reset_peak(pool));
    stats = stats_of(pool);
    EXPECT_EQ(stats.blocks_peak + stats.requested_peak_bytes, 0u);
    EXPECT_EQ(stats.cached_peak_bytes, 3072u) << "they are kept still";
    EXPECT_EQ(stats.segments_peak, 3u);
    ASSERT_OK(gs_pool_trim(pool, 0));
    ASSERT_OK(gs_pool_reset_peak(pool));
    stats = stats_of(pool);
    EXPECT_EQ(stats.segments + stats.segments_peak + stats.cached_peak_bytes, 0u);
    EXPECT_EQ(stats.segment_allocations, 3u) << "so far";
    EXPECT_EQ(stats.allocated_total_bytes, 4096u);
}

TEST_P(Conformance, PoolCounts_RetriesGiveBackFirst) {
    Stream stream = make_stream();
    Pool pool = make_pool(0, 4096);
    ASSERT_OK(gs_free_async(allocate(pool, 4096, stream), stream));
    ASSERT_OK(gs_free_async(allocate(pool, 2048, stream), stream)); // the first has to go
    gs_pool_stats_t stats = stats_of(pool);
    EXPECT_EQ(stats.retries, 1u);
    EXPECT_EQ(stats.out_of_memory, 0u);
    EXPECT_EQ(stats.segments, 1u);
    EXPECT_EQ(stats.segment_allocations, 2u);
    void *pointer = nullptr;
    EXPECT_STATUS(GS_ERROR_OUT_OF_MEMORY, gs_pool_malloc(pool, 8192, stream, &pointer));
    stats = stats_of(pool);
    EXPECT_EQ(stats.retries, 2u);
    EXPECT_EQ(stats.out_of_memory, 1u);
    EXPECT_EQ(stats.segments, 0u);
}

// Where the pool grows beyond what it ever had, the stream's own blocks go first, if they are more than a small part.
TEST_P(Conformance, PoolCounts_GrowthGivesBackFirst) {
    constexpr uint64_t kMiB = 1 << 20;
    Stream stream = make_stream();
    Stream other = make_stream();
    Pool pool = make_pool();
    void *elsewhere = allocate(pool, kMiB, other);
    std::vector<void *> blocks;
    for (uint64_t size = 1; size <= 3; ++size) blocks.push_back(allocate(pool, size * kMiB, stream));
    for (void *block : blocks) ASSERT_OK(gs_free_async(block, stream));
    ASSERT_OK(gs_free_async(elsewhere, other));
    EXPECT_EQ(stats_of(pool).cached_bytes, 7 * kMiB);

    void *large = allocate(pool, 64 * kMiB, stream);
    gs_pool_stats_t stats = stats_of(pool);
    EXPECT_EQ(stats.cached_bytes, kMiB) << "another stream's stay";
    EXPECT_EQ(stats.segments, 2u);
    EXPECT_EQ(stats.retries, 0u) << "nothing failed";

    // A small part may stay, and so may all of it while the pool has had more before.
    ASSERT_OK(gs_free_async(allocate(pool, 1000, stream), stream));
    ASSERT_OK(gs_free_async(allocate(pool, 2000, stream), stream));
    EXPECT_EQ(stats_of(pool).cached_bytes, kMiB + 1024 + 2048);
    ASSERT_OK(gs_free_async(large, stream));
    ASSERT_OK(gs_pool_trim(pool, 0));
    ASSERT_OK(gs_pool_reset_peak(pool));
    ASSERT_OK(gs_free_async(allocate(pool, kMiB / 2, stream), stream));
    ASSERT_OK(gs_free_async(allocate(pool, kMiB / 4, stream), stream));
    stats = stats_of(pool);
    EXPECT_EQ(stats.cached_bytes, kMiB / 2 + kMiB / 4) << "the pool has had 65 MiB";
    EXPECT_EQ(stats.cache_hits, 0u);
}

// A large block that the stream has not kept: the driver may make it of the large ones that are.
TEST_P(Conformance, PoolCounts_LargeBlocksGoForALargeOne) {
    constexpr uint64_t kMiB = 1 << 20;
    Stream stream = make_stream(), other = make_stream();
    Pool pool = make_pool(), second = make_pool();
    ASSERT_OK(gs_free_async(allocate(pool, 64 * kMiB, other), other)); // so that it does not grow from here on
    ASSERT_OK(gs_pool_trim(pool, 0));
    ASSERT_OK(gs_free_async(allocate(pool, 4 * kMiB, other), other));
    ASSERT_OK(gs_free_async(allocate(second, 5 * kMiB, stream), stream));
    void *const blocks[] = {allocate(pool, 2 * kMiB, stream), allocate(pool, 4096, stream),
                            allocate(pool, kMiB, stream), allocate(pool, kMiB - 512, stream)};
    for (void *block : blocks) ASSERT_OK(gs_free_async(block, stream));
    EXPECT_EQ(stats_of(pool).cached_bytes, 4 * kMiB + 4 * kMiB - 512 + 4096);

    ASSERT_OK(gs_free_async(allocate(pool, kMiB, stream), stream)); // one that is kept
    ASSERT_OK(gs_free_async(allocate(pool, 8192, stream), stream)); // a small one
    EXPECT_EQ(stats_of(pool).cached_bytes, 8 * kMiB - 512 + 4096 + 8192) << "nothing is given back for these";
    void *large = allocate(pool, 3 * kMiB, stream);
    gs_pool_stats_t stats = stats_of(pool);
    EXPECT_EQ(stats.cached_bytes, 4 * kMiB + kMiB - 512 + 4096 + 8192) << "small ones stay, and another stream's";
    EXPECT_EQ(stats.allocated_bytes, 3 * kMiB);
    EXPECT_EQ(stats.retries, 0u);
    EXPECT_EQ(stats_of(second).cached_bytes, 5 * kMiB) << "another pool's";
    ASSERT_OK(gs_free_async(large, stream));
}

// The bytes in use alone, as programs ask for them in loops, are those of the whole statistics.
TEST_P(Conformance, PoolCounts_BytesInUseAlone) {
    Stream stream = make_stream();
    Pool pool = make_pool(GS_POOL_POISON);
    gs_pool_stats_t stats{};
    stats.struct_size = offsetof(gs_pool_stats_t, allocated_peak_bytes);
    stats.allocated_peak_bytes = 7;
    std::vector<void *> blocks;
    for (uint64_t i = 1; i <= 3; ++i) {
        blocks.push_back(allocate(pool, 1000, stream));
        StatsDelta delta;
        ASSERT_OK(gs_pool_get_stats(pool, &stats));
        EXPECT_EQ(delta.driver_calls(), 0u);
        EXPECT_EQ(stats.allocated_bytes, i * 1024);
    }
    EXPECT_EQ(stats.flags, uint32_t{GS_POOL_POISON});
    EXPECT_EQ(stats.struct_size, offsetof(gs_pool_stats_t, allocated_peak_bytes));
    EXPECT_EQ(stats.allocated_peak_bytes, 7u) << "beyond the caller's struct";
    for (void *block : blocks) ASSERT_OK(gs_free_async(block, stream));
    ASSERT_OK(gs_pool_get_stats(pool, &stats));
    EXPECT_EQ(stats.allocated_bytes, 0u);
    gs_pool_t ended = pool;
    pool.reset();
    EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_pool_get_stats(ended, &stats));
}

// The driver is asked only for what the caller's struct has room for.
TEST_P(Conformance, PoolCounts_OnlyReservedBytesAskTheDriver) {
    Stream stream = make_stream();
    Pool pool = make_pool();
    void *memory = allocate(pool, 1000, stream);
    gs_pool_stats_t stats{};
    stats.struct_size = offsetof(gs_pool_stats_t, reserved_bytes);
    StatsDelta short_one;
    ASSERT_OK(gs_pool_get_stats(pool, &stats));
    EXPECT_EQ(short_one.driver_calls(), 0u);
    EXPECT_EQ(stats.allocated_bytes, 1024u);
    EXPECT_EQ(stats.reserved_bytes, 0u) << "the caller's struct ends before it";
    StatsDelta longer;
    stats.struct_size = offsetof(gs_pool_stats_t, reserved_peak_bytes);
    ASSERT_OK(gs_pool_get_stats(pool, &stats));
    const uint64_t one = longer.driver_calls();
    EXPECT_GE(stats.reserved_bytes, 1024u);
    EXPECT_EQ(stats.reserved_peak_bytes, 0u);
    StatsDelta whole;
    stats = stats_of(pool);
    EXPECT_EQ(whole.driver_calls(), 2 * one) << "the peak is another question";
    EXPECT_GE(stats.reserved_peak_bytes, stats.reserved_bytes);
    ASSERT_OK(gs_free_async(memory, stream));
}

// A default stream cannot be captured: its pool keeps memory without asking the driver.
TEST_P(Conformance, PoolCounts_DefaultStreamsKeepMemoryWithoutAsking) {
    gs_stream_t stream = nullptr;
    ASSERT_OK(gs_default_stream(GS_DEVICE_CURRENT, &stream));
    Pool pool = make_pool();
    std::vector<void *> blocks;
    for (int i = 0; i < 20; ++i) blocks.push_back(allocate(pool, 512, stream));
    for (void *block : blocks) ASSERT_OK(gs_free_async(block, stream)); // sixteen are kept
    EXPECT_EQ(stats_of(pool).cached_bytes, 16u * 512);
    EXPECT_EQ(stats_of(pool).segments, 16u);
    StatsDelta delta;
    for (int i = 0; i < 10; ++i) ASSERT_OK(gs_free_async(allocate(pool, 512, stream), stream));
    EXPECT_EQ(delta.driver_calls(), 0u);
    EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_free_async(blocks[0], stream)) << "freed before";
    ASSERT_OK(gs_pool_trim(pool, 0));
    EXPECT_EQ(stats_of(pool).segments, 0u);
}

// While a stream that the default stream would wait for is captured, its work would break the capture.
TEST_P(Conformance, PoolCounts_DefaultStreamsBreakNoCapture) {
    gs_stream_t stream = nullptr;
    ASSERT_OK(gs_default_stream(GS_DEVICE_CURRENT, &stream));
    Pool pool = make_pool(GS_POOL_POISON);
    void *memory = allocate(pool, 512, stream);
    Stream captured = make_stream(GS_DEVICE_CURRENT, GS_STREAM_BLOCKING);
    gs_graph_t graph = nullptr;
    void *pointer = nullptr;
    ASSERT_OK(gs_stream_begin_capture(captured, GS_CAPTURE_RELAXED));
    EXPECT_STATUS(GS_ERROR_CAPTURING, gs_free_async(memory, stream));
    EXPECT_STATUS(GS_ERROR_CAPTURING, gs_pool_malloc(pool, 512, stream, &pointer));
    EXPECT_OK(gs_stream_end_capture(captured, &graph));
    EXPECT_OK(gs_graph_destroy(graph));
    EXPECT_EQ(stats_of(pool).blocks, 1u);
    EXPECT_OK(gs_free_async(memory, stream));
    EXPECT_EQ(stats_of(pool).blocks, 0u);
}

} // namespace gs::test
