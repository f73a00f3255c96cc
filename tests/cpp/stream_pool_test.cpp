// SPDX-License-Identifier: Apache-2.0
// A fixed number of streams, by index and in turn.
#include <gtest/gtest.h>

#include <array>
#include <gpustream.hpp>
#include <set>
#include <thread>
#include <vector>

using namespace gpustream;

static_assert(!std::is_copy_constructible_v<stream_pool> && std::is_nothrow_move_constructible_v<stream_pool>);

namespace {

TEST(StreamPools, ByIndexAndInTurn) {
    stream_pool pool = stream_pool::create(3, device(1), -1);
    EXPECT_EQ(pool.size(), 3u);
    std::set<gs_stream_t> streams;
    for (const stream &one : pool) {
        streams.insert(one.get());
        EXPECT_EQ(one.device(), device(1));
        EXPECT_EQ(one.priority(), -1);
    }
    EXPECT_EQ(streams.size(), 3u) << "none is given twice";
    EXPECT_EQ(pool[0].get(), pool[3].get());
    EXPECT_EQ(pool[SIZE_MAX].get(), pool[SIZE_MAX % 3].get());
    for (size_t turn = 0; turn < 7; ++turn) EXPECT_EQ(pool.next().get(), pool[turn].get());
    const gs_stream_t first = pool[0].get();
    {
        const stream_pool moved = std::move(pool);
        EXPECT_EQ(moved[0].get(), first);
        moved[0].synchronize();
        EXPECT_EQ(pool.size(), 0u);
        EXPECT_EQ(pool.begin(), pool.end());
        EXPECT_THROW(pool.next().synchronize(), error) << "an empty stream is a status, not a crash";
    }
    EXPECT_THROW(stream_ref(first).synchronize(), error) << "the streams end with the pool";
}

TEST(StreamPools, ThreadsShareThemEvenly) {
    stream_pool pool = stream_pool::create(4);
    std::array<std::atomic<int>, 4> seen{};
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
        threads.emplace_back([&] {
            for (int turn = 0; turn < 100; ++turn) {
                const gs_stream_t stream = pool.next().get();
                for (size_t at = 0; at < 4; ++at)
                    if (pool[at].get() == stream) ++seen[at];
            }
        });
    for (std::thread &thread : threads) thread.join();
    for (const std::atomic<int> &count : seen) EXPECT_EQ(count, 100);
}

status creation_failure(size_t size, device on, stream_flags flags) {
    try {
        static_cast<void>(stream_pool::create(size, on, 0, flags));
    } catch (const error &thrown) {
        return thrown.status();
    }
    return status::ok;
}

TEST(StreamPools, AllStreamsOrNone) {
    EXPECT_EQ(creation_failure(0, device::current(), stream_flags::none), status::invalid_argument);
    EXPECT_EQ(creation_failure(SIZE_MAX / 2, device::current(), stream_flags::none), status::out_of_memory);
    EXPECT_EQ(creation_failure(2, device(99), stream_flags::none), status::invalid_device);
    EXPECT_EQ(creation_failure(2, device::current(), stream_flags::shared | stream_flags::dedicated),
              status::invalid_argument);
}

} // namespace
