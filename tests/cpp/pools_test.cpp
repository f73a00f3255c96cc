// SPDX-License-Identifier: Apache-2.0
// Pools, and the random state of a device.
#include <gtest/gtest.h>

#include <atomic>
#include <gpustream.hpp>
#include <thread>

#include "cpp/failure_of.hpp"

using namespace gpustream;
using gpustream::test::failure_of;

static_assert(!std::is_copy_constructible_v<pool> && std::is_nothrow_move_constructible_v<pool>);
static_assert(std::is_convertible_v<pool, pool_ref> && !std::is_convertible_v<gs_pool_t, pool_ref>);

namespace {

TEST(Pools, HaveALimitAndStatistics) {
    const pool small = pool::create({{}, 1 << 20, 0}, 0);
    const stream work = stream::create(0);
    buffer first = buffer::create(700'000, work, small);
    EXPECT_EQ(failure_of([&] { static_cast<void>(buffer::create(700'000, work, small)); }), status::out_of_memory);
    gs_pool_stats_t stats = small.stats();
    EXPECT_EQ(stats.limit_bytes, 1u << 20);
    EXPECT_EQ(stats.requested_bytes, 700'000u);
    EXPECT_EQ(stats.blocks, 1u);
    EXPECT_EQ(stats.out_of_memory, 1u);
    first.close();
    stats = small.stats();
    EXPECT_EQ(stats.allocated_bytes, 0u);
    EXPECT_GE(stats.allocated_peak_bytes, 700'000u);
    small.reset_peak();
    EXPECT_EQ(small.stats().allocated_peak_bytes, 0u);
    small.set_limit(0);
    const buffer second = buffer::create(2'000'000, work, small);
    EXPECT_EQ(small.stats().blocks, 1u);
}

TEST(Pools, KeepWhatWasFreedUntilTheyAreTrimmed) {
    const pool kept = pool::create();
    const stream work = stream::create();
    buffer::create(4096, work, kept).close();
    EXPECT_EQ(kept.stats().cached_bytes, 4096u);
    kept.trim();
    work.synchronize();
    kept.trim();
    EXPECT_EQ(kept.stats().cached_bytes, 0u);
    EXPECT_EQ(kept.stats().reserved_bytes, 0u);
}

TEST(Pools, LoseNoBufferThatEndsInACapture) {
    const pool lent = pool::create();
    const stream work = stream::create();
    for (int i = 0; i < 50; ++i) {
        buffer first = buffer::create(4096, work, lent);
        {
            const buffer second = buffer::create(4096, work, lent);
            capture open(work);
            buffer third = buffer::create(4096, work, lent); // the graph's
            EXPECT_EQ(failure_of([&] { first.close(); }), status::capturing);
            EXPECT_NE(first.data(), nullptr);
            EXPECT_EQ(first.size(), 4096u);
            third.close();
            if (i % 2 == 0) static_cast<void>(open.end());
        }
        first.close();
        EXPECT_EQ(first.data(), nullptr);
    }
    static_cast<void>(gs_trim());
    for (int i = 0; i < 2000 && lent.stats().blocks != 0; ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_EQ(lent.stats().blocks, 0u);
}

TEST(Pools, AreCurrentOnTheirThread) {
    const pool mine = pool::create({}, 0);
    const stream work = stream::create(0);
    mine.make_current();
    EXPECT_TRUE(pool_ref::current(0) == mine);
    std::thread([] { EXPECT_TRUE(pool_ref::current(0) == pool_ref::of_device(0)); }).join();
    const buffer made = buffer::create(512, work);
    EXPECT_EQ(mine.stats().blocks, 1u);
    static_cast<pool_ref>(pool_ref::of_device(0)).make_current();
    EXPECT_TRUE(pool_ref::current(0) != mine);
}

TEST(Pools, MemoryOutlivesThem) {
    const stream work = stream::create();
    pool first = pool::create();
    pool second = pool::retain(first);
    const gs_pool_t handle = first.get();
    const buffer made = buffer::create(64, work, second);
    first.close();
    EXPECT_EQ(pool_ref(handle).stats().blocks, 1u);
    second.close();
    fill(made.data(), 1, 64, work);
    work.synchronize();
    EXPECT_EQ(failure_of([&] { static_cast<void>(pool_ref(handle).stats()); }), status::invalid_handle);
    EXPECT_EQ(failure_of([&] { first.close(); }), status::invalid_handle);
    EXPECT_EQ(failure_of([&] { static_cast<void>(buffer::create(64, work, pool_ref(handle))); }),
              status::invalid_handle);
    EXPECT_EQ(failure_of([&] { static_cast<void>(pool::retain(pool_ref())); }), status::invalid_handle);
    EXPECT_EQ(failure_of([&] { pool_ref().make_current(); }), status::invalid_handle);
    EXPECT_EQ(failure_of([&] { static_cast<void>(pool::create({static_cast<pool_flags>(1u << 30), 0, 0})); }),
              status::invalid_argument);
    EXPECT_EQ(failure_of([&] { static_cast<void>(pool::create({}, 99)); }), status::invalid_device);
}

TEST(Pools, MemoryOfSeveralStreamsIsFreedAfterAllOfThem) {
    const stream one = stream::create(0);
    const stream other = stream::create(0);
    const pool from = pool::create({}, 0);
    buffer shared = buffer::create(1024, one, from);
    std::atomic<bool> open{false};
    other.launch_host([&] {
        while (!open.load()) std::this_thread::yield();
    });
    EXPECT_EQ(failure_of([&] { shared.close_after(one, stream_ref()); }), status::invalid_handle);
    EXPECT_NE(shared.data(), nullptr) << "a refused call leaves the buffer as it was";
    shared.close_after(one, other);
    EXPECT_EQ(shared.data(), nullptr);
    EXPECT_EQ(shared.size(), 0u);
    one.synchronize(); // it does not wait for the other
    open.store(true);
    other.synchronize();
    EXPECT_EQ(from.stats().blocks, 0u);
    shared.close();
}

TEST(Random, AStateIsSetReadAndReserved) {
    const stream work = stream::create(0);
    rng::seed(11, 0);
    gs_philox_t first = rng::reserve(work, 5);
    EXPECT_EQ(first.captured, 0);
    EXPECT_EQ(first.seed, 11u);
    EXPECT_EQ(first.offset, 0u);
    rng::state now = rng::get_state(0);
    EXPECT_EQ(now.seed, 11u);
    EXPECT_EQ(now.offset, 8u) << "rounded up to a multiple of 4";
    rng::set_state({12, 400}, 0);
    first = rng::reserve(work, 1);
    EXPECT_EQ(first.seed, 12u);
    EXPECT_EQ(first.offset, 400u);
    EXPECT_EQ(failure_of([] { rng::set_state({1, 2}, 0); }), status::invalid_argument);
    EXPECT_EQ(failure_of([] { rng::seed(1, 99); }), status::invalid_device);
    EXPECT_EQ(failure_of([] { static_cast<void>(rng::get_state(99)); }), status::invalid_device);
    EXPECT_EQ(failure_of([] { static_cast<void>(rng::reserve(stream_ref(), 1)); }), status::invalid_handle);
}

TEST(Random, ACaptureHasAddresses) {
    const stream work = stream::create();
    capture recording(work);
    const gs_philox_t drawn = rng::reserve(work, 4);
    EXPECT_EQ(drawn.captured, 1);
    EXPECT_NE(drawn.seed_address, 0u);
    EXPECT_NE(drawn.offset_address, 0u);
    static_cast<void>(recording.end());
}

} // namespace
