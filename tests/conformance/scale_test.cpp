// SPDX-License-Identifier: Apache-2.0
// Many pending objects: what costs a step for each of them, at each call, takes minutes here.
#include <pthread.h>

#include <atomic>
#include <memory>
#include <vector>

#include "conformance/conformance.hpp"
#include "conformance/graph_building.hpp"
#include "support/entries.hpp"
#include "support/gate.hpp"
#include "support/timelines.hpp"

namespace gs::test {
namespace {

std::vector<Stream> make_streams(size_t count) {
    std::vector<Stream> streams;
    for (size_t i = 0; i < count; ++i) streams.push_back(make_stream(0));
    return streams;
}

} // namespace

TEST_P(HostConformance, Scale_WaitsForOneTimeline) {
    constexpr uint64_t kWaits = 200'000;
    std::vector<Stream> streams = make_streams(4);
    Timeline timeline;
    for (uint64_t value = 1; value <= kWaits; ++value)
        ASSERT_OK(gs_stream_wait_timeline(streams[value % 4], timeline, value));
    ASSERT_OK(gs_timeline_signal(timeline, kWaits));
    for (Stream &stream : streams) EXPECT_OK(gs_stream_synchronize(stream));
}

// A pipeline of four streams that is submitted from its end, before its input: each signal stands behind waits, and is waited for.
TEST_P(HostConformance, Scale_SignalsBehindWaits) {
    constexpr uint64_t kSteps = 30'000;
    std::vector<Stream> streams = make_streams(4);
    Timeline timelines[5];
    for (const size_t stage : {3, 2, 0, 1})
        for (uint64_t step = 1; step <= kSteps; ++step) {
            ASSERT_OK(gs_stream_wait_timeline(streams[stage], timelines[stage], step));
            ASSERT_OK(gs_stream_signal_timeline(streams[stage], timelines[stage + 1], step));
        }
    ASSERT_OK(gs_timeline_signal(timelines[0], kSteps));
    ASSERT_OK(gs_timeline_synchronize(timelines[4], kSteps, -1));
    EXPECT_EQ(timelines[4].value(), kSteps);
}

// Signals of one timeline that come from its end.
TEST_P(HostConformance, Scale_SignalsFromTheLargestDown) {
    constexpr uint64_t kSignals = 5'000;
    std::vector<Stream> streams = make_streams(kSignals);
    Timeline timeline;
    for (uint64_t value = kSignals; value > 0; --value) {
        Stream &stream = streams[value - 1];
        ASSERT_OK(gs_stream_wait_timeline(stream, timeline, value));
        ASSERT_OK(gs_stream_signal_timeline(stream, timeline, value + 1));
    }
    ASSERT_OK(gs_timeline_signal(timeline, 1));
    ASSERT_OK(gs_timeline_synchronize(timeline, kSignals + 1, -1));
}

// On a small stack: the way round the circle is no recursion.
TEST_P(HostConformance, Scale_ALongCircle) {
    constexpr size_t kLinks = 5'000;
    static std::vector<Stream> streams;
    static std::vector<std::unique_ptr<Timeline>> timelines;
    streams = make_streams(kLinks);
    for (size_t i = 0; i < kLinks; ++i) timelines.push_back(std::make_unique<Timeline>());
    for (size_t i = 0; i < kLinks; ++i) {
        ASSERT_OK(gs_stream_wait_timeline(streams[i], *timelines[i], 1));
        if (i + 1 < kLinks) ASSERT_OK(gs_stream_signal_timeline(streams[i], *timelines[i + 1], 1));
    }
    pthread_attr_t attributes;
    ASSERT_EQ(pthread_attr_init(&attributes), 0);
    ASSERT_EQ(pthread_attr_setstacksize(&attributes, 128 * 1024), 0);
    pthread_t thread;
    const auto close_circle = [](void *) -> void * {
        EXPECT_STATUS(GS_ERROR_DEADLOCK, gs_stream_signal_timeline(streams.back(), *timelines.front(), 1));
        return nullptr;
    };
    ASSERT_EQ(pthread_create(&thread, &attributes, close_circle, nullptr), 0);
    pthread_join(thread, nullptr);
    pthread_attr_destroy(&attributes);
    ASSERT_OK(gs_timeline_signal(*timelines.front(), 1));
    for (Stream &stream : streams) EXPECT_OK(gs_stream_synchronize(stream));
    timelines.clear();
    streams.clear();
}

TEST_P(HostConformance, Scale_CompletionsOfFourStreams) {
    constexpr uint64_t kEach = 50'000;
    std::vector<Stream> streams = make_streams(4);
    static std::atomic<uint64_t> told;
    told = 0;
    Gate gates[4];
    for (size_t i = 0; i < 4; ++i) ASSERT_OK(gates[i].hold(streams[i]));
    for (uint64_t i = 0; i < kEach; ++i)
        for (Stream &stream : streams)
            ASSERT_OK(gs_stream_notify(stream, [](void *, gs_status_t) { ++told; }, nullptr));
    for (Gate &gate : gates) gate.open();
    while (told != 4 * kEach) std::this_thread::yield();
}

TEST_P(HostConformance, Scale_EntriesThatAreCancelled) {
    constexpr uint64_t kEntries = 100'000;
    Stream stream = make_stream(0);
    Queue queue(UINT32_MAX);
    Gate gate;
    ASSERT_OK(gate.hold(stream));
    for (uint64_t token = 0; token < kEntries; ++token) ASSERT_OK(gs_queue_add_stream(queue, stream, token));
    ASSERT_OK(gs_queue_add_stream(queue, stream, 7)); // a second one
    size_t count = 0;
    ASSERT_OK(gs_queue_cancel(queue, 7, &count));
    EXPECT_EQ(count, 2u);
    for (uint64_t token = kEntries; token-- > 0;) {
        ASSERT_OK(gs_queue_cancel(queue, token, &count));
        ASSERT_EQ(count, token == 7 ? 0u : 1u) << token;
    }
    gate.open();
}

TEST_P(HostConformance, Scale_NodesOfAGraph) {
    constexpr size_t kNodes = 20'000;
    Graph graph = make_graph();
    Nodes nodes;
    for (size_t i = 0; i < kNodes; ++i) nodes.push_back(add_empty(graph, i == 0 ? Nodes{} : Nodes{nodes.back()}));
    gs_node_params_t info{};
    info.struct_size = sizeof info;
    for (size_t i = 0; i < kNodes; ++i) {
        ASSERT_OK(gs_graph_node_info(graph, nodes[i], &info));
        ASSERT_EQ(info.predecessor_count, i == 0 ? 0u : 1u);
        ASSERT_EQ(info.successor_count, i + 1 == kNodes ? 0u : 1u);
    }
}

} // namespace gs::test
