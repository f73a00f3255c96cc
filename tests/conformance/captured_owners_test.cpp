// SPDX-License-Identifier: Apache-2.0
// Memory whose owner ends while a stream that uses it is captured: it is neither lost nor freed too early.
#include <atomic>
#include <thread>

#include "conformance/captures.hpp"
#include "conformance/graph_building.hpp"
#include "conformance/pools.hpp"

namespace gs::test {
namespace {

constexpr size_t kOwnedBytes = 1 << 16;

// What an owner does at its end.
void drop_memory(void *memory, gs_stream_t stream) {
    const gs_status_t status = gs_free_async(memory, stream);
    if (status == GS_ERROR_CAPTURING)
        EXPECT_OK(gs_free_after(memory, &stream, 1));
    else
        EXPECT_OK(status);
}

// Releases run on the library's thread.
void expect_pool_blocks(gs_pool_t pool, uint64_t blocks) {
    for (int i = 0; i < 2000 && stats_of(pool).blocks != blocks; ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_EQ(stats_of(pool).blocks, blocks);
}

} // namespace

TEST_P(Conformance, CapturedOwner_KeepsWhatCannotBeFreed) {
    Stream stream = make_stream();
    Pool pool = make_pool();
    void *memory = allocate(pool, kOwnedBytes, stream);
    for (const int32_t mode : kCaptureModes) {
        ASSERT_OK(gs_stream_begin_capture(stream, mode));
        EXPECT_FAILS(GS_ERROR_CAPTURING, gs_free_async, "gs_free_after", memory, stream);
        EXPECT_FAILS(GS_ERROR_CAPTURING, gs_free_async, "is being captured", memory, stream);
        EXPECT_EQ(capture_state(stream), GS_CAPTURE_STATE_ACTIVE);
        EXPECT_OK(gs_memset_async(memory, 1, kOwnedBytes, stream));
        Graph graph = end_capture(stream);
        EXPECT_EQ(info_of(graph).node_count, 1u);
    }
    EXPECT_OK(gs_free_async(memory, stream)) << "after the captures, a second free works";
    EXPECT_EQ(stats_of(pool).blocks, 0u);
}

TEST_P(Conformance, CapturedOwner_LivesAsLongAsTheGraph) {
    Stream stream = make_stream();
    Pool pool = make_pool();
    Bytes result(1);
    void *memory = allocate(pool, kOwnedBytes, stream);
    ASSERT_OK(gs_stream_begin_capture(stream, GS_CAPTURE_RELAXED));
    ASSERT_OK(gs_memset_async(memory, 7, kOwnedBytes, stream));
    ASSERT_OK(gs_memcpy_async(result.at(0), memory, 1, stream));
    drop_memory(memory, stream);
    EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_free_after(memory, std::data({stream.get()}), 1)) << "twice";
    GraphExec exec;
    {
        Graph graph = end_capture(stream);
        exec = instantiate(graph);
    }
    EXPECT_OK(gs_trim());
    EXPECT_OK(gs_graph_exec_launch(exec, stream));
    EXPECT_OK(gs_stream_synchronize(stream));
    EXPECT_EQ(result[0], 7);
    EXPECT_EQ(stats_of(pool).blocks, 1u);
    exec = {};
    expect_pool_blocks(pool, 0);
}

TEST_P(Conformance, CapturedOwner_LosesNothing) {
    Stream stream = make_stream(), side = make_stream();
    Pool pool = make_pool();
    for (int i = 0; i < 50; ++i) {
        void *memory = allocate(pool, kOwnedBytes, stream), *others = allocate(pool, kOwnedBytes, side);
        ASSERT_OK(gs_stream_begin_capture(stream, GS_CAPTURE_RELAXED));
        ASSERT_OK(gs_stream_wait_stream(side, stream));
        drop_memory(memory, stream);
        drop_memory(others, side);
        ASSERT_OK(gs_stream_wait_stream(stream, side));
        if (i % 2 == 0)
            (void)end_capture(stream);
        else
            ASSERT_OK(gs_stream_abort_capture(stream));
    }
    EXPECT_OK(gs_trim());
    expect_pool_blocks(pool, 0);
}

// A free behind the capture alone would give memory to others that work from before the capture still uses.
TEST_P(Conformance, CapturedOwner_OutlivesTheWorkBeforeTheCapture) {
    for (const int captures : {1, 2}) {
        SCOPED_TRACE(captures);
        Stream stream = make_stream(), other = make_stream();
        Pool pool = make_pool();
        Bytes result(2);
        Gate gate;
        void *memory = allocate(pool, kOwnedBytes, stream);
        ASSERT_OK(gs_memset_async(memory, 5, kOwnedBytes, stream));
        ASSERT_OK(gate.hold(stream));
        ASSERT_OK(gs_memcpy_async(result.at(0), memory, 1, stream)); // late
        ASSERT_OK(gs_stream_begin_capture(stream, GS_CAPTURE_RELAXED));
        drop_memory(memory, stream);
        for (int i = 0; i < captures; ++i) { // without a gap in which the stream is not captured for long
            if (i != 0) ASSERT_OK(gs_stream_begin_capture(stream, GS_CAPTURE_RELAXED));
            ASSERT_OK(gs_stream_abort_capture(stream));
        }
        EXPECT_OK(gs_trim());
        for (int i = 0; i < 20; ++i) {
            void *mine = allocate(pool, kOwnedBytes, other);
            EXPECT_NE(mine, memory) << "reused while the stream may read it";
            ASSERT_OK(gs_memset_async(mine, 9, kOwnedBytes, other));
            ASSERT_OK(gs_stream_synchronize(other));
            ASSERT_OK(gs_free_async(mine, other));
            std::this_thread::sleep_for(std::chrono::milliseconds(1)); // for the library's thread
        }
        EXPECT_EQ(stats_of(pool).blocks, 1u);
        gate.open();
        ASSERT_OK(gs_stream_synchronize(stream));
        EXPECT_EQ(result[0], 5);
        expect_pool_blocks(pool, 0);
    }
}

TEST_P(Conformance, CapturedOwner_OfAStreamThatEndsAsWell) {
    Pool pool = make_pool();
    Stream stream = make_stream();
    void *memory = allocate(pool, kOwnedBytes, stream);
    ASSERT_OK(gs_stream_begin_capture(stream, GS_CAPTURE_RELAXED));
    drop_memory(memory, stream);
    stream = {};
    for (int i = 0; i < 100 && stats_of(pool).blocks != 0; ++i) {
        EXPECT_OK(gs_trim()); // which ends the capture
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    expect_pool_blocks(pool, 0);
}

// Their ends call nothing that a capture forbids, also those of a stream, an event and host memory that it uses.
TEST_P(Conformance, CapturedOwner_OfOtherKinds) {
    for (const int32_t mode : kCaptureModes) {
        Stream stream = make_stream(), side = make_stream();
        Event fork = make_event(), join = make_event(), outside = make_event();
        Graph graph = make_graph();
        add_empty(graph);
        GraphExec exec = instantiate(graph);
        void *host = nullptr, *unused = nullptr;
        ASSERT_OK(gs_malloc_host(64, &host));
        ASSERT_OK(gs_malloc_host(64, &unused));
        ASSERT_OK(gs_graph_exec_launch(exec, side));
        ASSERT_OK(gs_event_record(outside, side));
        ASSERT_OK(gs_stream_begin_capture(stream, mode));
        ASSERT_OK(gs_event_record(fork, stream));
        ASSERT_OK(gs_stream_wait_event(side, fork));
        ASSERT_OK(gs_memset_async(host, 0, 64, side));
        ASSERT_OK(gs_event_record(join, side));
        ASSERT_OK(gs_stream_wait_event(stream, join));
        for (Event *event : {&fork, &join, &outside}) *event = {};
        exec = {};
        graph = {};
        EXPECT_OK(gs_free_host(unused));
        EXPECT_OK(gs_free_host(host)) << "which the graph may use: it is not launched";
        EXPECT_EQ(capture_state(stream), GS_CAPTURE_STATE_ACTIVE);
        EXPECT_EQ(info_of(end_capture(stream)).node_count, 1u);
    }
}

// A default stream takes no calls while a blocking stream is captured.
TEST_P(Conformance, CapturedOwner_InTheDefaultStream) {
    gs_stream_t usual = nullptr;
    ASSERT_OK(gs_default_stream(0, &usual));
    Stream blocking = make_stream(0, GS_STREAM_BLOCKING);
    Pool pool = make_pool();
    void *memory = allocate(pool, kOwnedBytes, usual);
    ASSERT_OK(gs_stream_begin_capture(blocking, GS_CAPTURE_RELAXED));
    drop_memory(memory, usual);
    EXPECT_EQ(capture_state(blocking), GS_CAPTURE_STATE_ACTIVE);
    (void)end_capture(blocking);
    EXPECT_OK(gs_trim());
    expect_pool_blocks(pool, 0);
}

// A node of a stream that has been joined would be joined no more. So its free comes at the end of the capture.
TEST_P(Conformance, CapturedOwner_OfAJoinedStream) {
    Stream stream = make_stream(), side = make_stream();
    Bytes result(1);
    void *memory = nullptr, *own = nullptr;
    int local = 0;
    ASSERT_OK(gs_stream_begin_capture(stream, GS_CAPTURE_RELAXED));
    ASSERT_OK(gs_malloc_async(kOwnedBytes, stream, &own));
    ASSERT_OK(gs_stream_wait_stream(side, stream));
    ASSERT_OK(gs_malloc_async(kOwnedBytes, side, &memory));
    ASSERT_OK(gs_memset_async(memory, 3, kOwnedBytes, side));
    ASSERT_OK(gs_stream_wait_stream(stream, side));
    EXPECT_OK(gs_free_async(memory, side));
    EXPECT_OK(gs_free_async(own, side));
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_free_async, "already", memory, side);
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_free_async, "already", memory, stream);
    if (!on_gpu())
        EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_free_async(&local, side)); // a driver may break the capture
    ASSERT_OK(gs_memcpy_async(result.at(0), memory, 1, stream));
    Graph graph = end_capture(stream);
    EXPECT_EQ(info_of(graph).node_count, 6u);
    GraphExec exec = instantiate(graph);
    for (int i = 0; i < 3; ++i) EXPECT_OK(gs_graph_exec_launch(exec, stream)) << "the last launch has freed both";
    EXPECT_OK(gs_stream_synchronize(stream));
    EXPECT_EQ(result[0], 3);
}

// Captures that begin at any moment neither break nor take in the stream in which the library frees.
TEST_P(Conformance, CapturedOwner_BesideCapturesOfAnotherThread) {
    Stream stream = make_stream();
    Pool pool = make_pool();
    std::atomic<bool> stop{false};
    std::atomic<int> ended{0};
    std::thread captures([&] {
        while (!stop) {
            gs_graph_t graph = nullptr;
            EXPECT_OK(gs_stream_begin_capture(stream, GS_CAPTURE_RELAXED));
            EXPECT_OK(ended % 2 == 0 ? gs_stream_end_capture(stream, &graph) : gs_stream_abort_capture(stream));
            if (graph) EXPECT_OK(gs_graph_destroy(graph));
            ++ended;
        }
    });
    for (int i = 0; i < 300 || ended < 100; ++i) {
        Stream own = make_stream();
        void *memory = allocate(pool, kOwnedBytes, own);
        ASSERT_OK(gs_stream_synchronize(own)); // the other stream cannot wait for it in a capture
        drop_memory(memory, stream);
    }
    stop = true;
    captures.join();
    EXPECT_OK(gs_trim());
    expect_pool_blocks(pool, 0);
    void *memory = allocate(pool, kOwnedBytes, stream);
    EXPECT_OK(gs_free_after(memory, std::data({stream.get()}), 1)) << "its stream is no part of a capture";
    EXPECT_OK(gs_device_synchronize(GS_DEVICE_CURRENT));
}

} // namespace gs::test
