// SPDX-License-Identifier: Apache-2.0
// Freed memory that a stream keeps: when it is given out again, and when it goes back to the driver.
#include <atomic>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "conformance/pools.hpp"

namespace gs::test {

TEST_P(Conformance, Fronts_RecentlyFreedMemoryCostsNoDriverCall) {
    Stream stream = make_stream();
    void *memory = nullptr, *again = nullptr;
    ASSERT_OK(gs_malloc_async(10'000, stream, &memory));
    ASSERT_OK(gs_free_async(memory, stream));
    StatsDelta delta;
    for (int i = 0; i < 100; ++i) {
        ASSERT_OK(gs_malloc_async(10'000 - static_cast<size_t>(i), stream, &again)); // the same size once it is rounded
        EXPECT_EQ(again, memory);
        ASSERT_OK(gs_free_async(again, stream));
    }
    EXPECT_EQ(delta.driver_calls(), 0u);
    std::thread([&] { // the cache is the stream's, not a thread's
        void *theirs = nullptr;
        EXPECT_OK(gs_malloc_async(10'000, stream, &theirs));
        EXPECT_EQ(theirs, memory);
        EXPECT_OK(gs_free_async(theirs, stream));
    })
        .join();
    EXPECT_EQ(delta.driver_calls(), 0u);
    ASSERT_OK(gs_malloc_async(20'000, stream, &again));
    EXPECT_GT(delta.driver_calls(), 0u)
        << "another size; a driver may give out the same address, which the stream gave back first";
    ASSERT_OK(gs_free_async(again, stream));
}

// The work that used the block is pending; what the stream does later with it comes after that.
TEST_P(Conformance, Fronts_ReuseIsInStreamOrder) {
    Stream stream = make_stream();
    Bytes result(2);
    Gate gate;
    void *memory = nullptr, *again = nullptr;
    ASSERT_OK(gs_malloc_async(512, stream, &memory));
    ASSERT_OK(gate.hold(stream));
    ASSERT_OK(gs_memset_async(memory, 1, 512, stream));
    ASSERT_OK(gs_memcpy_async(result.at(0), memory, 1, stream));
    ASSERT_OK(gs_free_async(memory, stream));
    ASSERT_OK(gs_malloc_async(512, stream, &again));
    EXPECT_EQ(again, memory) << "given out while its old work is pending";
    ASSERT_OK(gs_memset_async(again, 2, 512, stream));
    ASSERT_OK(gs_memcpy_async(result.at(1), again, 1, stream));
    ASSERT_OK(gs_free_async(again, stream));
    gate.open();
    ASSERT_OK(gs_stream_synchronize(stream));
    EXPECT_EQ(result[0], 1);
    EXPECT_EQ(result[1], 2);
}

TEST_P(Conformance, Fronts_KeepTheSixteenNewest) {
    Stream stream = make_stream();
    Pool pool = make_pool();
    std::vector<void *> blocks;
    for (size_t i = 1; i <= 20; ++i) blocks.push_back(allocate(pool, i * 512, stream));
    for (void *block : blocks) ASSERT_OK(gs_free_async(block, stream));
    EXPECT_EQ(stats_of(pool).cached_bytes, 512u * (20 * 21 / 2 - (1 + 2 + 3 + 4)));
    EXPECT_EQ(stats_of(pool).blocks, 0u);
    ASSERT_OK(gs_trim());
    EXPECT_EQ(stats_of(pool).cached_bytes, 0u);
}

TEST_P(Conformance, Fronts_KeepNoMoreBytesThanTheyMay) {
    constexpr size_t kBytes = size_t{200} << 20; // of 256 MiB
    Stream stream = make_stream();
    Pool pool = make_pool();
    void *first = allocate(pool, kBytes, stream), *second = allocate(pool, kBytes, stream);
    ASSERT_OK(gs_free_async(first, stream));
    EXPECT_EQ(stats_of(pool).cached_bytes, kBytes);
    ASSERT_OK(gs_free_async(second, stream));
    EXPECT_EQ(stats_of(pool).cached_bytes, kBytes) << "the older one made room";
    EXPECT_EQ(allocate(pool, kBytes, stream), second);
    ASSERT_OK(gs_free_async(second, stream));
}

// Other code may have begun a capture of such a stream, so that the driver is asked first.
TEST_P(Conformance, Fronts_OfAStreamThatOtherCodeKnows) {
    Stream stream = make_stream();
    Pool pool = make_pool();
    EXPECT_NE(native_of(stream), 0u);
    void *memory = allocate(pool, 4096, stream);
    ASSERT_OK(gs_free_async(memory, stream)); // the first that it keeps
    EXPECT_EQ(stats_of(pool).cached_bytes, 4096u);
    EXPECT_EQ(allocate(pool, 4096, stream), memory);
    ASSERT_OK(gs_free_async(memory, stream));
}

TEST_P(Conformance, Fronts_EndWithTheirStream) {
    Pool pool = make_pool();
    for (const uint32_t flags :
         {0u, static_cast<uint32_t>(GS_STREAM_DEDICATED), static_cast<uint32_t>(GS_STREAM_SHARED)}) {
        Stream stream = make_stream(GS_DEVICE_CURRENT, flags);
        ASSERT_OK(gs_free_async(allocate(pool, 4096, stream), stream));
        EXPECT_EQ(stats_of(pool).cached_bytes, 4096u);
        stream.reset();
        ASSERT_OK(gs_trim()); // if calls of other threads held the stream up
        EXPECT_EQ(stats_of(pool).cached_bytes, 0u) << flags;
    }
    Stream given = make_stream(GS_DEVICE_CURRENT, GS_STREAM_DEDICATED);
    ASSERT_OK(gs_stream_retain(given));
    Stream other_reference(given.get());
    ASSERT_OK(gs_free_async(allocate(pool, 4096, given), given));
    uintptr_t native = 0;
    ASSERT_OK(gs_stream_into_native(given.release(), &native));
    EXPECT_EQ(stats_of(pool).cached_bytes, 0u) << "its new owner may destroy it at any time";
    ASSERT_OK(gs_free_async(allocate(pool, 4096, other_reference), other_reference));
    EXPECT_EQ(stats_of(pool).cached_bytes, 0u);
    other_reference.reset();
    gs_stream_t back = nullptr;
    ASSERT_OK(gs_stream_from_native_owned(GS_DEVICE_CURRENT, native, [](void *) {}, nullptr, &back));
    ASSERT_OK(gs_stream_synchronize(back));
    ASSERT_OK(gs_stream_destroy(back));
}

// Several threads have used it, so that it ends later than it is destroyed. Its memory must not be missing until then.
TEST_P(Conformance, Fronts_OfADestroyedStreamAreBelowNoLimit) {
    Stream stream = make_stream(), other = make_stream();
    Pool pool = make_pool(0, 4096);
    std::thread([&] { EXPECT_OK(gs_free_async(allocate(pool, 4096, stream), stream)); }).join();
    EXPECT_EQ(stats_of(pool).cached_bytes, 4096u);
    stream.reset();
    EXPECT_OK(gs_free_async(allocate(pool, 2048, other), other));
}

// Its blocks cannot be freed in it any more. They are lost, which is better than that another stream gets them.
TEST_P(Conformance, Fronts_AStreamThatEndsInACapture) {
    std::vector<std::string> lines;
    const auto collect = [](void *arg, int32_t level, const char *text) {
        if (level == GS_LOG_WARNING) static_cast<std::vector<std::string> *>(arg)->push_back(text);
    };
    Pool pool = make_pool();
    ASSERT_OK(gs_set_log_callback(collect, &lines));
    for (const uint32_t flags : {0u, static_cast<uint32_t>(GS_STREAM_DEDICATED)}) {
        Stream stream = make_stream(GS_DEVICE_CURRENT, flags);
        void *memory = allocate(pool, 4096, stream);
        ASSERT_OK(gs_free_async(memory, stream));
        ASSERT_OK(gs_stream_begin_capture(stream, GS_CAPTURE_RELAXED));
        stream.reset();
        ASSERT_OK(gs_trim());
        const gs_pool_stats_t stats = stats_of(pool);
        EXPECT_EQ(stats.cached_bytes + stats.blocks, 0u);
        Stream next = make_stream(GS_DEVICE_CURRENT, flags);
        void *other = allocate(pool, 4096, next);
        EXPECT_NE(other, memory);
        ASSERT_OK(gs_free_async(other, next));
    }
    EXPECT_OK(gs_set_log_callback(nullptr, nullptr));
    ASSERT_EQ(lines.size(), 2u) << "what is lost is reported";
    EXPECT_NE(lines[0].find("is not freed: the stream ended while it was being captured"), std::string::npos)
        << lines[0];
}

TEST_P(Conformance, Fronts_NotInPerThreadStreams) {
    const gs_stream_t mine = per_thread_stream();
    Pool pool = make_pool();
    ASSERT_OK(gs_free_async(allocate(pool, 64, mine), mine));
    EXPECT_EQ(stats_of(pool).cached_bytes, 0u) << "its handle is another stream on another thread";
    const gs_stream_t legacy = default_stream();
    ASSERT_OK(gs_free_async(allocate(pool, 64, legacy), legacy));
    EXPECT_EQ(stats_of(pool).cached_bytes, 512u);
}

TEST_P(Conformance, Fronts_CapturesGoAroundThem) {
    Stream stream = make_stream();
    Pool pool = make_pool();
    void *before = allocate(pool, 4096, stream);
    ASSERT_OK(gs_free_async(before, stream));
    const gs_pool_stats_t at_begin = stats_of(pool);
    ASSERT_OK(gs_stream_begin_capture(stream, GS_CAPTURE_RELAXED));
    void *inside = allocate(pool, 4096, stream);
    EXPECT_NE(inside, before) << "the graph's own memory";
    ASSERT_OK(gs_memset_async(inside, 1, 4096, stream));
    ASSERT_OK(gs_free_async(inside, stream));
    EXPECT_EQ(stats_of(pool).allocations, at_begin.allocations);
    EXPECT_EQ(stats_of(pool).cached_bytes, at_begin.cached_bytes);
    ASSERT_OK(gs_pool_trim(pool, 0)) << "the stream's blocks wait until the capture has ended";
    gs_graph_t graph = nullptr;
    ASSERT_OK(gs_stream_end_capture(stream, &graph));
    ASSERT_OK(gs_graph_destroy(graph));
    void *after = allocate(pool, 4096, stream);
    EXPECT_EQ(after, before);
    ASSERT_OK(gs_free_async(after, stream));
}

// What the default stream does while a blocking stream is captured would break the capture, so it keeps its blocks as captured
// streams do. The others give theirs back.
TEST_P(Conformance, Fronts_OfTheDefaultStreamBesideACapture) {
    const gs_stream_t standard = default_stream();
    Stream stream = make_stream(), other = make_stream();
    Stream captured = make_stream(GS_DEVICE_CURRENT, GS_STREAM_BLOCKING);
    Pool pool = make_pool(0, 4096);
    ASSERT_OK(gs_free_async(allocate(pool, 512, standard), standard));
    ASSERT_OK(gs_free_async(allocate(pool, 2048, stream), stream));
    ASSERT_OK(gs_stream_begin_capture(captured, GS_CAPTURE_RELAXED));
    void *memory = allocate(pool, 3072, other); // below the limit without the stream's block
    EXPECT_EQ(stats_of(pool).cached_bytes, 512u);
    EXPECT_OK(gs_free_async(memory, other));
    EXPECT_OK(gs_pool_trim(pool, 0));
    EXPECT_OK(gs_trim());
    EXPECT_EQ(stats_of(pool).cached_bytes, 512u);
    gs_graph_t graph = nullptr;
    ASSERT_OK(gs_stream_end_capture(captured, &graph)) << "the capture is intact";
    ASSERT_OK(gs_graph_destroy(graph));
    EXPECT_OK(gs_pool_trim(pool, 0));
    EXPECT_EQ(stats_of(pool).cached_bytes + stats_of(pool).segments, 0u);
}

TEST_P(Conformance, Fronts_ManyThreads) {
    constexpr int kThreads = 4, kRounds = 300;
    Pool pool = make_pool();
    Stream streams[2] = {make_stream(), make_stream()};
    std::vector<std::thread> threads;
    for (int id = 0; id < kThreads; ++id)
        threads.emplace_back([&, id] {
            for (int i = 0; i < kRounds; ++i) {
                const gs_stream_t stream = streams[(i + id) % 2];
                const size_t bytes = 512u * static_cast<size_t>(1 + (i * 7 + id) % 20);
                void *memory = nullptr;
                ASSERT_OK(gs_pool_malloc(pool, bytes, stream, &memory));
                ASSERT_OK(gs_memset_async(memory, id, bytes, stream));
                ASSERT_OK(gs_free_async(memory, stream));
                if (i % 100 == 50) ASSERT_OK(gs_pool_trim(pool, 0));
            }
        });
    for (std::thread &thread : threads) thread.join();
    const gs_pool_stats_t stats = stats_of(pool);
    EXPECT_EQ(stats.allocations, static_cast<uint64_t>(kThreads) * kRounds);
    EXPECT_EQ(stats.frees, stats.allocations);
    EXPECT_EQ(stats.allocated_bytes + stats.requested_bytes + stats.blocks, 0u);
    for (Stream &stream : streams) ASSERT_OK(gs_stream_synchronize(stream));
}

TEST_P(Conformance, Fronts_OnlyOneThreadFrees) {
    Stream stream = make_stream();
    Pool pool = make_pool();
    for (int i = 0; i < 50; ++i) {
        void *memory = allocate(pool, 64, stream);
        std::atomic<int> freed{0}, refused{0};
        const auto race = [&] {
            const gs_status_t status = gs_free_async(memory, stream);
            (status == GS_OK ? freed : refused).fetch_add(1);
            EXPECT_TRUE(status == GS_OK || status == GS_ERROR_INVALID_ARGUMENT) << status;
        };
        std::thread other(race);
        race();
        other.join();
        EXPECT_EQ(freed, 1);
        EXPECT_EQ(refused, 1);
    }
}

} // namespace gs::test
