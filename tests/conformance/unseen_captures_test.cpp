// SPDX-License-Identifier: Apache-2.0
// Captures whose graph is not needed before their end: only a call that needs it later asks the driver.
#include <atomic>
#include <thread>
#include <vector>

#include "conformance/captures.hpp"
#include "conformance/graph_building.hpp"

namespace gs::test {
namespace {

void count_one(void *arg) { ++*static_cast<std::atomic<int> *>(arg); }

} // namespace

TEST_P(Conformance, Unseen_BeginAndEndAreOneDriverCallEach) {
    Stream stream = make_stream(0);
    for (const int32_t mode : kCaptureModes) {
        SCOPED_TRACE(mode);
        StatsDelta stats;
        ASSERT_OK(gs_stream_begin_capture(stream, mode));
        EXPECT_LE(stats.driver_calls(), 1u);
        stats.restart();
        Graph graph = end_capture(stream);
        EXPECT_LE(stats.driver_calls(), 1u);
        EXPECT_NE(graph.get(), nullptr);
        graph.reset();
        ASSERT_OK(gs_stream_begin_capture(stream, mode));
        stats.restart();
        EXPECT_OK(gs_stream_abort_capture(stream));
        EXPECT_LE(stats.driver_calls(), 4u) << "the end, and the graph's destroy between two changes of the mode";
    }
}

// Each capture is found by a stream that joined it, on another thread, although none was asked for before.
TEST_P(Conformance, Unseen_TheRightOneIsFoundByAStreamThatJoined) {
    constexpr size_t kCaptures = 4;
    std::vector<Stream> streams, sides;
    std::vector<std::atomic<int>> counts(kCaptures);
    for (size_t i = 0; i < kCaptures; ++i) {
        streams.push_back(make_stream(0));
        sides.push_back(make_stream(0));
        ASSERT_OK(gs_stream_begin_capture(streams[i], GS_CAPTURE_RELAXED));
    }
    for (const size_t i : {2u, 0u, 3u, 1u}) {
        SCOPED_TRACE(i);
        gs_graph_t graph = nullptr;
        std::thread([&] {
            EXPECT_OK(gs_stream_wait_stream(sides[i], streams[i]));
            EXPECT_OK(gs_stream_launch_host(sides[i], count_one, &counts[i]));
            const gs_capture_info_t found = info_of(sides[i]);
            graph = found.graph;
            EXPECT_EQ(found.origin, streams[i].get());
            EXPECT_EQ(found.id, info_of(streams[i]).id);
            EXPECT_OK(gs_stream_wait_stream(streams[i], sides[i]));
        }).join();
        EXPECT_NE(graph, nullptr);
        Graph ended = end_capture(streams[i]);
        EXPECT_EQ(ended.get(), graph);
        GraphExec exec = instantiate(ended);
        EXPECT_OK(gs_graph_exec_launch(exec, streams[i]));
        EXPECT_OK(gs_stream_synchronize(streams[i]));
        for (size_t k = 0; k < kCaptures; ++k) EXPECT_EQ(counts[k], k == i ? 1 : 0);
        counts[i] = 0;
    }
}

TEST_P(Conformance, Unseen_ItsModulesOutliveTheirHandles) {
    Kernels kernels(GetParam()), more(GetParam());
    Stream stream = make_stream(0);
    Words words(1);
    uint32_t *counter = words.at(0);
    void *arguments[] = {&counter};
    const gs_launch_config_t config = one_thread();
    ASSERT_OK(gs_stream_begin_capture(stream, GS_CAPTURE_RELAXED));
    for (int i = 0; i < 2; ++i) ASSERT_OK(gs_kernel_launch(kernels["add_one"], &config, arguments, stream));
    ASSERT_OK(gs_kernel_launch(more["add_one"], &config, arguments, stream));
    Graph graph = end_capture(stream);
    StatsDelta stats;
    ASSERT_OK(gs_module_destroy(kernels.release()));
    ASSERT_OK(gs_module_destroy(more.release()));
    EXPECT_EQ(stats.driver_calls(), 0u) << "the graph holds both";
    GraphExec exec = instantiate(graph);
    graph.reset();
    EXPECT_OK(gs_trim()); // unloads what nothing needs
    for (int i = 0; i < 3; ++i) run(exec, stream);
    EXPECT_EQ(words[0], 9u);
}

// The event was recorded in a capture of which nothing else is known.
TEST_P(Conformance, Unseen_WaitsIntoAnotherCaptureAreRefused) {
    Stream stream = make_stream(0), other = make_stream(0);
    Event event = make_event();
    ASSERT_OK(gs_stream_begin_capture(stream, GS_CAPTURE_RELAXED));
    ASSERT_OK(gs_stream_begin_capture(other, GS_CAPTURE_RELAXED));
    ASSERT_OK(gs_event_record(event, stream));
    EXPECT_FAILS(GS_ERROR_CAPTURING, gs_stream_wait_event, "another capture", other, event);
    EXPECT_FAILS(GS_ERROR_CAPTURING, gs_stream_wait_stream, "another capture", other, stream);
    EXPECT_EQ(capture_state(stream), GS_CAPTURE_STATE_ACTIVE);
    EXPECT_EQ(capture_state(other), GS_CAPTURE_STATE_ACTIVE);
    EXPECT_NE(end_capture(stream).get(), nullptr);
    EXPECT_NE(end_capture(other).get(), nullptr);
}

} // namespace gs::test
