// SPDX-License-Identifier: Apache-2.0
// Pools: statistics, limits, the one that a thread has current, and their ends.
#include <cstdint>
#include <thread>

#include "conformance/pools.hpp"

namespace gs::test {

TEST_P(Conformance, Pools_StatisticsAreExact) {
    Stream stream = make_stream();
    Pool pool = make_pool();
    gs_pool_stats_t stats = stats_of(pool);
    EXPECT_EQ(stats.allocations + stats.frees + stats.blocks + stats.allocated_bytes + stats.cached_bytes, 0u);
    void *small = allocate(pool, 1, stream);
    void *large = allocate(pool, 100'000, stream);
    stats = stats_of(pool);
    EXPECT_EQ(stats.blocks, 2u);
    EXPECT_EQ(stats.allocations, 2u);
    EXPECT_EQ(stats.requested_bytes, 100'001u);
    EXPECT_EQ(stats.allocated_bytes, 512u + 100'352u);
    EXPECT_GE(stats.reserved_bytes, stats.allocated_bytes);
    ASSERT_OK(gs_free_async(large, stream));
    stats = stats_of(pool);
    EXPECT_EQ(stats.allocated_bytes, 512u);
    EXPECT_EQ(stats.requested_bytes, 1u);
    EXPECT_EQ(stats.cached_bytes, 100'352u);
    EXPECT_EQ(stats.allocated_peak_bytes, 512u + 100'352u);
    EXPECT_EQ(stats.frees, 1u);
    ASSERT_OK(gs_pool_reset_peak(pool));
    stats = stats_of(pool);
    EXPECT_EQ(stats.allocated_peak_bytes, 512u);
    EXPECT_GE(stats.reserved_peak_bytes, stats.reserved_bytes);
    ASSERT_OK(gs_free_async(small, stream));
    ASSERT_OK(gs_stream_synchronize(stream));
    ASSERT_OK(gs_pool_trim(pool, 0));
    stats = stats_of(pool);
    EXPECT_EQ(stats.cached_bytes + stats.allocated_bytes + stats.blocks, 0u);
    EXPECT_EQ(stats.reserved_bytes, 0u);
    EXPECT_EQ(stats.allocations, stats.frees);
    gs_pool_stats_t short_one{};
    short_one.struct_size = 8;
    short_one.allocated_bytes = 7;
    EXPECT_OK(gs_pool_get_stats(pool, &short_one));
    EXPECT_EQ(short_one.allocated_bytes, 7u) << "the caller's struct ends before it";
    short_one.struct_size = 4;
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_pool_get_stats, "struct_size", pool, &short_one);
}

TEST_P(Conformance, Pools_LimitsHold) {
    Stream stream = make_stream(), other = make_stream();
    Pool pool = make_pool(0, 4096);
    EXPECT_EQ(stats_of(pool).limit_bytes, 4096u);
    void *first = allocate(pool, 2048, stream), *second = allocate(pool, 2048, stream);
    void *pointer = &pool;
    EXPECT_FAILS(GS_ERROR_OUT_OF_MEMORY, gs_pool_malloc, "limit of the pool, 4096 bytes", pool, 1, stream, &pointer);
    EXPECT_EQ(pointer, nullptr);
    EXPECT_EQ(stats_of(pool).out_of_memory, 1u);
    ASSERT_OK(gs_free_async(second, stream));
    void *third = allocate(pool, 1024, other); // what the stream keeps of the pool is given back first
    EXPECT_EQ(stats_of(pool).cached_bytes, 0u);
    ASSERT_OK(gs_pool_set_limit(pool, 0));
    void *fourth = allocate(pool, 100'000, stream);
    ASSERT_OK(gs_pool_set_limit(pool, 1));
    EXPECT_STATUS(GS_ERROR_OUT_OF_MEMORY, gs_pool_malloc(pool, 1, stream, &pointer)) << "below what is allocated";
    for (void *one : {first, third, fourth}) ASSERT_OK(gs_free_async(one, one == third ? other : stream));
    EXPECT_EQ(stats_of(pool).allocated_bytes, 0u);
}

TEST_P(Conformance, Pools_AThreadHasOneCurrent) {
    Stream stream = make_stream();
    gs_pool_t usual = nullptr, found = nullptr;
    ASSERT_OK(gs_pool_default(GS_DEVICE_CURRENT, &usual));
    ASSERT_OK(gs_current_pool(GS_DEVICE_CURRENT, &found));
    EXPECT_EQ(found, usual);
    Pool pool = make_pool();
    ASSERT_OK(gs_set_current_pool(pool));
    ASSERT_OK(gs_current_pool(GS_DEVICE_CURRENT, &found));
    EXPECT_EQ(found, pool.get());
    void *memory = nullptr;
    ASSERT_OK(gs_malloc_async(100, stream, &memory));
    EXPECT_EQ(stats_of(pool).blocks, 1u);
    std::thread([&] {
        gs_pool_t theirs = nullptr;
        EXPECT_OK(gs_current_pool(0, &theirs));
        EXPECT_EQ(theirs, usual) << "another thread has its own";
        EXPECT_OK(gs_set_current_pool(pool)); // until it ends
    }).join();
    const gs_pool_t handle = pool.get();
    pool.reset(); // the thread owns a reference, too
    ASSERT_OK(gs_free_async(memory, stream));
    EXPECT_EQ(stats_of(handle).blocks, 0u);
    ASSERT_OK(gs_set_current_pool(handle));
    ASSERT_OK(gs_set_current_pool(usual));
    EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_pool_trim(handle, 0));
    EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_set_current_pool(handle));
    for (int i = 0; i < 3; ++i) EXPECT_OK(gs_pool_destroy(usual)) << "it is never the caller's";
    EXPECT_OK(gs_pool_trim(usual, 0));
}

// What threads and allocators have current is not a caller's to give back: another pool may be in the slot later.
TEST_P(Conformance, Pools_ADestroyTooManyEndsNoCurrentPool) {
    Stream stream = make_stream();
    gs_pool_t usual = nullptr, found = nullptr;
    ASSERT_OK(gs_pool_default(GS_DEVICE_CURRENT, &usual));
    for (const auto hold : {gs_set_current_pool, gs_allocator_set_pool}) {
        Pool pool = make_pool();
        const gs_pool_t handle = pool.get();
        ASSERT_OK(hold(handle));
        pool.reset();
        EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_pool_destroy(handle));
        EXPECT_NE(last_text().find("has no reference left to give back"), std::string::npos) << last_text();
        EXPECT_EQ(stats_of(handle).blocks, 0u) << "it is still live";
        ASSERT_OK(gs_pool_retain(handle)); // owned again
        ASSERT_OK(gs_pool_destroy(handle));
        Pool next = make_pool();
        ASSERT_OK(hold(usual));
        EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_pool_trim(handle, 0));
        EXPECT_EQ(stats_of(next).blocks, 0u) << "the other pool has ended in its place";
        ASSERT_OK(gs_pool_default(GS_DEVICE_CURRENT, &found));
        EXPECT_EQ(found, usual);
    }
}

TEST_P(Conformance, Pools_MemoryOutlivesItsPool) {
    Stream stream = make_stream();
    Pool pool = make_pool();
    ASSERT_OK(gs_pool_retain(pool));
    ASSERT_OK(gs_pool_destroy(pool));
    void *kept = allocate(pool, 4096, stream), *cached = allocate(pool, 64, stream);
    ASSERT_OK(gs_free_async(cached, stream));
    const gs_pool_t handle = pool.get();
    pool.reset();
    EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_pool_retain(handle));
    EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_pool_destroy(handle));
    Bytes result(1);
    ASSERT_OK(gs_memset_async(kept, 0x17, 4096, stream));
    ASSERT_OK(gs_memcpy_async(result.at(0), kept, 1, stream));
    ASSERT_OK(gs_free_async(kept, stream));
    EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_free_async(kept, stream));
    ASSERT_OK(gs_stream_synchronize(stream));
    EXPECT_EQ(result[0], 0x17);
    for (int i = 0; i < 5; ++i) { // the slot serves other pools
        Pool next = make_pool();
        EXPECT_NE(next.get(), handle);
        EXPECT_EQ(stats_of(next).allocations, 0u);
        EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_pool_trim(handle, 0));
    }
}

TEST_P(Conformance, Pools_OfTheHostAndOfPeers) {
    Stream stream = make_stream();
    Pool pinned = make_pool(GS_POOL_HOST), shared = make_pool(GS_POOL_PEERS);
    EXPECT_EQ(stats_of(pinned).flags, static_cast<uint32_t>(GS_POOL_HOST));
    void *host = allocate(pinned, 1000, stream), *device = allocate(shared, 1000, stream);
    ASSERT_OK(gs_memset_async(device, 0x21, 1000, stream));
    ASSERT_OK(gs_memcpy_async(host, device, 1000, stream));
    ASSERT_OK(gs_stream_synchronize(stream));
    EXPECT_EQ(static_cast<unsigned char *>(host)[999], 0x21);
    ASSERT_OK(gs_free_async(host, stream));
    EXPECT_EQ(allocate(pinned, 1000, stream), host) << "reused as device memory is";
    ASSERT_OK(gs_free_async(host, stream));
    ASSERT_OK(gs_free_async(device, stream));
    EXPECT_EQ(stats_of(shared).cached_bytes, 1024u) << "a pool gives out its own memory only";
}

TEST_P(Conformance, Pools_PoisonShowsLateReaders) {
    Stream stream = make_stream();
    Pool pool = make_pool(GS_POOL_POISON);
    void *memory = allocate(pool, 300, stream);
    Bytes result(2);
    ASSERT_OK(gs_memset_async(memory, 1, 300, stream));
    ASSERT_OK(gs_memcpy_async(result.at(0), memory, 1, stream)); // before the free: sees the value
    ASSERT_OK(gs_free_async(memory, stream));
    EXPECT_EQ(allocate(pool, 300, stream), memory);
    ASSERT_OK(gs_memcpy_async(result.at(1), static_cast<char *>(memory) + 299, 1, stream));
    ASSERT_OK(gs_free_async(memory, stream));
    ASSERT_OK(gs_stream_synchronize(stream));
    EXPECT_EQ(result[0], 1);
    EXPECT_EQ(result[1], 0xDD);
}

TEST_P(Conformance, BadInput_Pools) {
    Stream stream = make_stream();
    gs_pool_options_t options{};
    gs_pool_t pool = reinterpret_cast<gs_pool_t>(uintptr_t{1}); // NOLINT
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_pool_create, "struct_size", 0, &options, &pool);
    EXPECT_EQ(pool, nullptr);
    options.struct_size = sizeof options;
    options.flags = 8;
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_pool_create, "0x8", 0, &options, &pool);
    EXPECT_STATUS(GS_ERROR_INVALID_DEVICE, gs_pool_create(1000, nullptr, &pool));
    EXPECT_STATUS(GS_ERROR_INVALID_DEVICE, gs_pool_default(1000, &pool));
    EXPECT_STATUS(GS_ERROR_INVALID_DEVICE, gs_current_pool(1000, &pool));
    Pool live = make_pool();
    void *memory = &stream;
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_pool_malloc, "9223372036854775808", live, size_t{1} << 63, stream,
                 &memory);
    EXPECT_EQ(memory, nullptr);
    EXPECT_STATUS(GS_ERROR_OUT_OF_MEMORY, gs_pool_malloc(live, size_t{1} << 60, stream, &memory));
    EXPECT_EQ(stats_of(live).out_of_memory, 1u);
    EXPECT_EQ(stats_of(live).reserved_bytes, 0u);
    EXPECT_FAILS(GS_ERROR_INVALID_HANDLE, gs_pool_malloc, "pool", reinterpret_cast<gs_pool_t>(stream.get()), 8, stream,
                 &memory); // NOLINT
    EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_pool_malloc(live, 8, nullptr, &memory));
    memory = allocate(live, 8, GS_STREAM_CURRENT);
    EXPECT_OK(gs_free_async(memory, GS_STREAM_CURRENT));
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_free_async, "freed before", memory, GS_STREAM_CURRENT);
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_free_async, "freed before", memory, stream);
}

TEST_P(Conformance, BadInput_MemoryOfAnotherDevice) {
    GS_NEEDS_DEVICES(2);
    Stream here = make_stream(0), there = make_stream(1);
    Pool pool = make_pool(0, 0, 0);
    void *memory = nullptr;
    EXPECT_FAILS(GS_ERROR_DEVICE_MISMATCH, gs_pool_malloc, "device 1", pool, 8, there, &memory);
    EXPECT_EQ(memory, nullptr);
    memory = allocate(pool, 8, here);
    EXPECT_FAILS(GS_ERROR_DEVICE_MISMATCH, gs_free_async, "device 1", memory, there);
    EXPECT_EQ(stats_of(pool).blocks, 1u);
    EXPECT_OK(gs_free_async(memory, here));
}

} // namespace gs::test
