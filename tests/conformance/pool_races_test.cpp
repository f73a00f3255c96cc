// SPDX-License-Identifier: Apache-2.0
// Two threads that use the memory of a device at the same time, one of them stopped in a driver call.
#include <chrono>
#include <thread>
#include <vector>

#include "conformance/captures.hpp"
#include "conformance/parked.hpp"
#include "conformance/pools.hpp"
#include "support/foreign_stream.hpp"
#include "support/own_process.hpp"

namespace gs::test {
namespace {

uint64_t driver_streams_made() {
    gs_stats_t stats{};
    stats.struct_size = sizeof stats;
    EXPECT_OK(gs_get_stats(&stats));
    return stats.stream_pool_misses;
}

} // namespace

// The call of the other thread has found memory in the ended pool, and goes on once the last of it is freed.
TEST_P(Conformance, PoolRaces_TheLastFreeDuringALookAtThePool) {
    if (!on_cuda()) return; // the host has no pools of its own
    Stream stream = make_stream();
    Pool ended = make_pool(), other = make_pool();
    for (int i = 0; i < 2; ++i) ASSERT_OK(gs_pool_retain(other));
    void *memory = allocate(ended, 100, stream);
    ended.reset();
    with_parked_call([&] { EXPECT_OK(gs_pool_destroy(other)); }, [&] { EXPECT_OK(gs_free_async(memory, stream)); });
    StatsDelta delta;
    ASSERT_OK(gs_pool_destroy(other));
    EXPECT_EQ(delta.driver_calls(), 0u) << "nothing is left to end";
}

// The stream was found not to be captured. A driver frees nothing else in a capture than what that has allocated.
TEST_P(Conformance, PoolRaces_ACaptureBeginsWhileMemoryIsGivenBack) {
    Stream stream = make_stream();
    Pool pool = make_pool();
    ASSERT_OK(gs_free_async(allocate(pool, 100, stream), stream));
    std::thread capturing;
    with_parked_call([&] { EXPECT_OK(gs_pool_trim(pool, 0)); },
                     [&] {
                         capturing =
                             std::thread([&] { EXPECT_OK(gs_stream_begin_capture(stream, GS_CAPTURE_RELAXED)); });
                         std::this_thread::sleep_for(std::chrono::milliseconds(20));
                     });
    capturing.join();
    EXPECT_EQ(capture_state(stream), GS_CAPTURE_STATE_ACTIVE);
    EXPECT_OK(gs_stream_abort_capture(stream));
    EXPECT_EQ(stats_of(pool).cached_bytes, 0u);
    ASSERT_OK(gs_free_async(allocate(pool, 100, stream), stream));
}

// Both are the first: the stream that one of them has made in vain is free for another owner.
TEST_P(ConformanceProcess, PoolRaces_OneStreamForFreesAfterOthers) {
    OWN_PROCESS();
    Stream stream = make_stream();
    const auto free_one = [&] {
        void *memory = nullptr;
        EXPECT_OK(gs_malloc_async(512, stream, &memory));
        const gs_stream_t users[] = {stream};
        EXPECT_OK(gs_free_after(memory, users, 1));
    };
    with_parked_call(free_one, free_one);
    const uint64_t made = driver_streams_made();
    EXPECT_EQ(made, 3u);
    Stream other = make_stream();
    EXPECT_EQ(driver_streams_made(), made);
}

// The library's stream is made before the call has found the others, which may end while it is made.
TEST_P(ConformanceProcess, PoolRaces_AStreamEndsDuringTheFirstFreeAfterIt) {
    OWN_PROCESS();
    Stream busy = make_stream();
    ForeignStream theirs(on_cuda() ? GS_BACKEND_CUDA : GS_BACKEND_HOST, 0);
    gs_stream_t user = nullptr;
    ASSERT_OK(gs_stream_from_native_owned(GS_DEVICE_CURRENT, theirs.native(), ForeignStream::release, &theirs, &user));
    void *memory = nullptr;
    ASSERT_OK(gs_malloc_async(512, user, &memory));
    const gs_stream_t users[] = {user};
    gs_status_t freed = GS_OK;
    with_parked_call([&] { freed = gs_free_after(memory, users, 1); }, [&] { ASSERT_OK(gs_stream_destroy(user)); });
    EXPECT_EQ(freed, GS_ERROR_INVALID_HANDLE) << "it was gone before the call had it";
    EXPECT_TRUE(theirs.released());
    EXPECT_OK(gs_free_async(memory, busy));
}

// What one thread's call gives back to the driver is room for another thread's allocation once it is there.
TEST_P(Conformance, PoolRaces_WhatFitsBelowTheLimitIsNotRefused) {
    constexpr size_t kMost = size_t{128} << 10, kThreads = 3, kRounds = 400;
    Pool pool = make_pool(0, kThreads * kMost);
    std::vector<std::thread> threads;
    for (size_t number = 0; number < kThreads; ++number)
        threads.emplace_back([&pool, number] {
            Stream stream = make_stream();
            // Sizes that the stream has not kept, so that what streams keep has to go.
            for (size_t round = 0; round < kRounds; ++round) {
                void *memory = allocate(pool, kMost - 512 * (round * kThreads + number) % kMost, stream);
                EXPECT_OK(gs_free_async(memory, stream));
            }
        });
    for (std::thread &thread : threads) thread.join();
    EXPECT_EQ(stats_of(pool).out_of_memory, 0u);
    // A driver reserves memory by the megabyte.
    if (!on_cuda()) EXPECT_LE(stats_of(pool).reserved_peak_bytes, kThreads * kMost);
}

// A failing request of another thread does not count as reserved while it runs.
TEST_P(Conformance, PoolRaces_WhatIsAskedForIsNotReserved) {
    Stream stream = make_stream(), other = make_stream();
    Pool pool = make_pool();
    const auto ask = [&] {
        void *memory = nullptr;
        EXPECT_STATUS(GS_ERROR_OUT_OF_MEMORY, gs_pool_malloc(pool, size_t{1} << 60, other, &memory));
    };
    void *memory = nullptr;
    gs_pool_stats_t during{};
    with_parked_call(ask, [&] {
        memory = allocate(pool, 1024, stream);
        during = stats_of(pool);
        EXPECT_OK(gs_pool_reset_peak(pool));
    });
    EXPECT_LT(during.reserved_bytes, uint64_t{1} << 60);
    EXPECT_LT(during.reserved_peak_bytes, uint64_t{1} << 60);
    EXPECT_LT(stats_of(pool).reserved_peak_bytes, uint64_t{1} << 60);
    if (!on_cuda()) EXPECT_EQ(stats_of(pool).reserved_bytes, 1024u);
    EXPECT_OK(gs_free_async(memory, stream));
}

} // namespace gs::test
