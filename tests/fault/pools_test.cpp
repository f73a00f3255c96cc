// SPDX-License-Identifier: Apache-2.0
// What pools ask of the driver.
#include <gtest/gtest.h>

#include <cstring>
#include <thread>
#include <vector>

#include "fault/inject.hpp"
#include "support/gate.hpp"
#include "support/objects.hpp"
#include "support/own_process.hpp"

namespace gs::test {
namespace {

uint64_t attribute(CUmemoryPool pool, CUmemPool_attribute which) {
    cuuint64_t value = 0;
    const auto get = fake().symbol<PFN_cuMemPoolGetAttribute_v11020>("cuMemPoolGetAttribute");
    EXPECT_EQ(get(pool, which, &value), CUDA_SUCCESS);
    return value;
}

CUmemoryPool default_of_driver(int device) {
    CUmemoryPool pool = nullptr;
    const auto get = fake().symbol<PFN_cuDeviceGetMemPool_v11020>("cuDeviceGetMemPool");
    EXPECT_EQ(get(&pool, device), CUDA_SUCCESS);
    return pool;
}

uint64_t ended_or_begun() { return fake().calls("cuMemPoolSetAttribute"); } // once when a pool has ended

gs_pool_stats_t stats_of(gs_pool_t pool) {
    gs_pool_stats_t stats{};
    stats.struct_size = sizeof stats;
    EXPECT_OK(gs_pool_get_stats(pool, &stats));
    return stats;
}

void expect_symbol_missing(const char *symbol) {
    gs_pool_t pool = nullptr;
    EXPECT_STATUS(GS_ERROR_NOT_SUPPORTED, gs_pool_create(0, nullptr, &pool)) << symbol;
    Stream stream = make_stream(0);
    void *memory = nullptr;
    EXPECT_OK(gs_malloc_async(8, stream, &memory));
    EXPECT_OK(gs_free_async(memory, stream));
    EXPECT_EQ(fake().calls("cuMemAllocAsync"), 1u);
}

// Another thread frees memory of the pool in the stream, which keeps it.
void use_elsewhere(gs_pool_t pool, gs_stream_t stream) {
    std::thread([&] {
        void *memory = nullptr;
        EXPECT_OK(gs_pool_malloc(pool, 100, stream, &memory));
        EXPECT_OK(gs_free_async(memory, stream));
    }).join();
}

TEST(DriverPools, TheDefaultPoolKeepsWhatIsFreed) {
    OWN_PROCESS();
    ASSERT_OK(gs_init());
    Stream stream = make_stream(0);
    EXPECT_EQ(attribute(default_of_driver(0), CU_MEMPOOL_ATTR_RELEASE_THRESHOLD), 0u);
    void *memory = nullptr;
    ASSERT_OK(gs_malloc_async(100, stream, &memory));
    EXPECT_EQ(attribute(default_of_driver(0), CU_MEMPOOL_ATTR_RELEASE_THRESHOLD), UINT64_MAX);
    EXPECT_EQ(attribute(default_of_driver(1), CU_MEMPOOL_ATTR_RELEASE_THRESHOLD), 0u) << "no memory was wanted there";
    EXPECT_OK(gs_free_async(memory, stream));
    gs_pool_t pool = nullptr;
    ASSERT_OK(gs_pool_default(0, &pool));
    EXPECT_OK(gs_pool_trim(pool, 0));
    EXPECT_EQ(stats_of(pool).reserved_bytes, 0u);
    EXPECT_EQ(stats_of(pool).reserved_peak_bytes, 512u);
    EXPECT_EQ(fake().violation_text(), "");
}

TEST(DriverPools, AThresholdOfOtherCodeStays) {
    OWN_PROCESS();
    ASSERT_OK(gs_init());
    const auto set = fake().symbol<PFN_cuMemPoolSetAttribute_v11020>("cuMemPoolSetAttribute");
    cuuint64_t theirs = 12345;
    ASSERT_EQ(set(default_of_driver(0), CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &theirs), CUDA_SUCCESS);
    Stream stream = make_stream(0);
    void *memory = nullptr;
    ASSERT_OK(gs_malloc_async(100, stream, &memory));
    EXPECT_EQ(attribute(default_of_driver(0), CU_MEMPOOL_ATTR_RELEASE_THRESHOLD), theirs);
    EXPECT_OK(gs_free_async(memory, stream));
}

TEST(DriverPools, NoStreamWaitsForMemoryOfAnother) {
    OWN_PROCESS();
    ASSERT_OK(gs_init());
    gs_pool_options_t options{};
    options.struct_size = sizeof options;
    options.keep_bytes = 777;
    gs_pool_t pool = nullptr;
    ASSERT_OK(gs_pool_create(0, &options, &pool));
    ASSERT_EQ(fake().live(FAKE_CUDA_POOL), 1u);
    uintptr_t handle = 0;
    ASSERT_EQ(fake().live_handles(FAKE_CUDA_POOL, &handle, 1), 1u);
    const auto native = reinterpret_cast<CUmemoryPool>(handle);
    int flag = -1;
    const auto get = fake().symbol<PFN_cuMemPoolGetAttribute_v11020>("cuMemPoolGetAttribute");
    ASSERT_EQ(get(native, CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES, &flag), CUDA_SUCCESS);
    EXPECT_EQ(flag, 0);
    ASSERT_EQ(get(native, CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES, &flag), CUDA_SUCCESS);
    EXPECT_EQ(flag, 1);
    EXPECT_EQ(attribute(native, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD), 777u);
    ASSERT_OK(gs_pool_destroy(pool));
    EXPECT_EQ(fake().live(FAKE_CUDA_POOL), 0u);
    EXPECT_EQ(fake().violation_text(), "");
}

TEST(DriverPools, ADriverWithoutThem) {
    OWN_PROCESS({{"FAKE_CUDA_MISSING", "cuMemPoolCreate"}});
    expect_symbol_missing("cuMemPoolCreate");
}

TEST(DriverPools, ADriverThatCannotSetAccess) {
    OWN_PROCESS({{"FAKE_CUDA_MISSING", "cuMemPoolSetAccess"}});
    expect_symbol_missing("cuMemPoolSetAccess");
}

// A device that is full gives back what streams keep, of any pool, before an allocation fails.
TEST(DriverPools, WhatStreamsKeepIsGivenBackWhenMemoryIsOut) {
    OWN_PROCESS({{"FAKE_CUDA_MEMORY", "1048576"}});
    Stream stream = make_stream(0), other = make_stream(0);
    void *memory = nullptr;
    ASSERT_OK(gs_malloc_async(900'000, stream, &memory));
    ASSERT_OK(gs_free_async(memory, stream));
    ASSERT_OK(gs_malloc_async(800'000, other, &memory));
    ASSERT_OK(gs_free_async(memory, other));
    EXPECT_STATUS(GS_ERROR_OUT_OF_MEMORY, gs_malloc_async(2'000'000, other, &memory));
    gs_pool_t pool = nullptr;
    ASSERT_OK(gs_pool_default(0, &pool));
    EXPECT_EQ(stats_of(pool).out_of_memory, 1u);
    EXPECT_EQ(stats_of(pool).cached_bytes, 0u);
}

// Other code may free memory by the driver's own call. It counts until its address is allocated again.
TEST(DriverPools, AFreeOfOtherCodeIsFound) {
    OWN_PROCESS();
    Stream stream = make_stream(0);
    gs_pool_t pool = nullptr;
    ASSERT_OK(gs_pool_default(0, &pool));
    void *memory = nullptr, *again = nullptr;
    ASSERT_OK(gs_malloc_async(100'000, stream, &memory));
    const auto free_async = fake().symbol<PFN_cuMemFreeAsync_v11020>("cuMemFreeAsync");
    ASSERT_EQ(free_async(reinterpret_cast<CUdeviceptr>(memory), reinterpret_cast<CUstream>(native_of(stream))),
              CUDA_SUCCESS);
    ASSERT_OK(gs_stream_synchronize(stream));
    std::vector<void *> others; // until the system's allocator gives out the address again
    for (int i = 0; i < 100 && again != memory; ++i) {
        ASSERT_OK(gs_malloc_async(100'000, stream, &again));
        others.push_back(again);
    }
    const gs_pool_stats_t stats = stats_of(pool);
    if (again == memory) {
        EXPECT_EQ(stats.blocks, others.size());
        EXPECT_EQ(stats.frees, 1u);
    } else {
        EXPECT_EQ(stats.blocks, others.size() + 1);
    }
    for (void *one : others) EXPECT_OK(gs_free_async(one, stream));
    EXPECT_EQ(fake().violation_text(), "");
}

// A stream that several threads have used ends later than it is destroyed, but soon if no call holds it up.
TEST(DriverPools, NothingIsFreedAfterItsPool) {
    OWN_PROCESS();
    Stream stream = make_stream(0);
    gs_pool_t pool = nullptr;
    ASSERT_OK(gs_pool_create(0, nullptr, &pool));
    use_elsewhere(pool, stream);
    stream.reset();
    EXPECT_EQ(fake().calls("cuMemFreeAsync"), 1u) << "before the driver's pool ends";
    const uint64_t before = ended_or_begun();
    ASSERT_OK(gs_pool_destroy(pool));
    EXPECT_EQ(ended_or_begun(), before + 1);
}

TEST(DriverPools, APoolEndsAfterTheStreamsThatKeepItsMemory) {
    OWN_PROCESS();
    Stream stream = make_stream(0);
    gs_pool_t pool = nullptr;
    ASSERT_OK(gs_pool_create(0, nullptr, &pool));
    use_elsewhere(pool, stream);
    const uint64_t begun = ended_or_begun();
    Gate gate;
    ASSERT_OK(gate.hold(stream));
    const uint64_t before = fake().calls("cuStreamSynchronize");
    std::thread waiting([handle = stream.get()] { EXPECT_OK(gs_stream_synchronize(handle)); });
    while (fake().calls("cuStreamSynchronize") == before) std::this_thread::yield();
    stream.reset();
    ASSERT_OK(gs_pool_destroy(pool));
    ASSERT_OK(gs_trim());
    EXPECT_EQ(fake().calls("cuMemFreeAsync"), 0u) << "a call is still in the stream";
    EXPECT_EQ(ended_or_begun(), begun) << "its memory is not freed";
    gate.open();
    waiting.join();
    ASSERT_OK(gs_trim());
    EXPECT_EQ(fake().calls("cuMemFreeAsync"), 1u);
    EXPECT_EQ(ended_or_begun(), begun + 1);
}

TEST(DriverPools, TheLastFreeOfAnEndedPoolEndsTheDriversPool) {
    OWN_PROCESS();
    Stream stream = make_stream(0);
    for (const bool after_others : {false, true}) {
        gs_pool_t pool = nullptr;
        ASSERT_OK(gs_pool_create(0, nullptr, &pool));
        void *first = nullptr, *last = nullptr;
        ASSERT_OK(gs_pool_malloc(pool, 100, stream, &first));
        ASSERT_OK(gs_pool_malloc(pool, 1 << 20, stream, &last));
        const uint64_t trimmed = fake().calls("cuMemPoolTrimTo"), begun = ended_or_begun();
        ASSERT_OK(gs_pool_destroy(pool));
        EXPECT_EQ(fake().calls("cuMemPoolTrimTo"), trimmed + 1) << "what is freed does not wait for the rest";
        ASSERT_OK(gs_free_async(first, stream));
        EXPECT_EQ(ended_or_begun(), begun) << "the program has memory of it";
        const gs_stream_t users[] = {stream};
        ASSERT_OK(after_others ? gs_free_after(last, users, 1) : gs_free_async(last, stream));
        EXPECT_EQ(ended_or_begun(), begun + 1);
    }
    EXPECT_EQ(fake().violation_text(), "");
}

// The library does not see that free, so the pool still seems to be in use.
TEST(DriverPools, WhatOtherCodeHasFreedIsGivenBack) {
    OWN_PROCESS();
    Stream stream = make_stream(0);
    gs_pool_t pool = nullptr;
    ASSERT_OK(gs_pool_create(0, nullptr, &pool));
    void *memory = nullptr;
    ASSERT_OK(gs_pool_malloc(pool, 100, stream, &memory));
    ASSERT_OK(gs_pool_destroy(pool));
    uintptr_t native = 0;
    ASSERT_OK(gs_stream_native(stream, &native));
    const auto free = fake().symbol<PFN_cuMemFreeAsync_v11020>("cuMemFreeAsync");
    ASSERT_EQ(free(reinterpret_cast<CUdeviceptr>(memory), reinterpret_cast<CUstream>(native)), CUDA_SUCCESS);
    const uint64_t trimmed = fake().calls("cuMemPoolTrimTo"), begun = ended_or_begun();
    ASSERT_OK(gs_trim());
    EXPECT_GT(fake().calls("cuMemPoolTrimTo"), trimmed);
    EXPECT_EQ(ended_or_begun(), begun);
    EXPECT_EQ(fake().violation_text(), "");
}

// In a stream that keeps nothing. The driver does not come to know of it, so that the program still has the memory.
TEST(DriverPools, AFreeThatFailsBeforeItsCallCountsAsNone) {
    OWN_PROCESS();
    gs_pool_t pool = nullptr;
    ASSERT_OK(gs_pool_create(0, nullptr, &pool));
    const gs_stream_t stream = per_thread_stream(0);
    void *memory = nullptr;
    ASSERT_OK(gs_pool_malloc(pool, 100, stream, &memory));
    const gs_pool_stats_t before = stats_of(pool);
    EXPECT_EQ(before.requested_total_bytes, 100u);
    uint64_t nth = 1;
    for (;; ++nth) {
        inject("cuCtxPushCurrent_v2", FAKE_CUDA_BEFORE, FAKE_CUDA_TRANSIENT, nth);
        const gs_status_t status = gs_free_async(memory, stream);
        if (fake().injected(nullptr, 0) == 0) break;
        EXPECT_STATUS(GS_ERROR_DRIVER, status);
        const gs_pool_stats_t after = stats_of(pool);
        EXPECT_EQ(std::memcmp(&before, &after, sizeof before), 0) << "call " << nth;
    }
    fake().clear_fault();
    EXPECT_GT(nth, 1u);
    EXPECT_EQ(stats_of(pool).frees, 1u);
    EXPECT_OK(gs_pool_destroy(pool));
    EXPECT_EQ(fake().violation_text(), "");
}

TEST(DriverPools, ABrokenDevice) {
    OWN_PROCESS();
    Stream stream = make_stream(0);
    gs_pool_t pool = nullptr;
    ASSERT_OK(gs_pool_create(0, nullptr, &pool));
    void *memory = nullptr, *cached = nullptr;
    ASSERT_OK(gs_pool_malloc(pool, 100, stream, &memory));
    ASSERT_OK(gs_pool_malloc(pool, 100, stream, &cached));
    ASSERT_OK(gs_free_async(cached, stream));
    fake().break_device(0, 700);
    EXPECT_STATUS(GS_ERROR_STICKY, gs_device_check(0));
    EXPECT_STATUS(GS_ERROR_STICKY, gs_free_async(memory, stream));
    const gs_stream_t users[] = {stream};
    EXPECT_STATUS(GS_ERROR_STICKY, gs_free_after(memory, users, 1));
    EXPECT_STATUS(GS_ERROR_STICKY, gs_pool_malloc(pool, 100, stream, &memory));
    EXPECT_STATUS(GS_ERROR_STICKY, gs_pool_trim(pool, 0));
    gs_pool_stats_t stats{};
    stats.struct_size = sizeof stats;
    EXPECT_STATUS(GS_ERROR_STICKY, gs_pool_get_stats(pool, &stats));
    gs_pool_t other = nullptr;
    EXPECT_STATUS(GS_ERROR_STICKY, gs_pool_create(0, nullptr, &other));
    EXPECT_OK(gs_pool_destroy(pool));
    stream.reset();
    EXPECT_EQ(fake().violation_text(), "");
}

} // namespace
} // namespace gs::test
