// SPDX-License-Identifier: Apache-2.0
// A stream that only its thread uses stays idle until the thread enqueues something: no driver call says so again. With
// GPUSTREAM_ELIDE=0 each one is made.
#include <thread>

#include "conformance/captures.hpp"
#include "conformance/graph_building.hpp"

namespace gs::test {
namespace {

bool is_idle(const Stream &stream) {
    int32_t idle = -1;
    EXPECT_OK(gs_stream_query(stream, &idle));
    return idle == 1;
}

// How many of a query and a synchronize of an idle stream reach the driver.
uint64_t asked(const Stream &stream) {
    StatsDelta stats;
    EXPECT_TRUE(is_idle(stream));
    EXPECT_OK(gs_stream_synchronize(stream));
    return 2 - stats.since(&gs_stats_t::elided_queries) - stats.since(&gs_stats_t::elided_synchronizes);
}

void nothing(void *) {}
void told(void *, gs_status_t) {}

} // namespace

TEST_P(Conformance, KnownIdle_UntilSomethingIsEnqueued) {
    Stream stream = make_stream(0), other = make_stream(0);
    Event event = make_event();
    ASSERT_OK(gs_event_record(event, other));
    Bytes bytes(2);
    const uint64_t each = elides() ? 0 : 2;
    ASSERT_OK(gs_stream_synchronize(stream));
    EXPECT_EQ(asked(stream), each);
    Gate gate;
    ASSERT_OK(gate.hold(stream));
    EXPECT_FALSE(is_idle(stream));
    gate.open();
    ASSERT_OK(gs_stream_synchronize(stream));
    EXPECT_EQ(asked(stream), each);
    // Whatever is enqueued ends it: then the first question is the driver's.
    const auto expect_ended = [&](const char *call) {
        StatsDelta stats;
        EXPECT_OK(gs_stream_synchronize(stream));
        EXPECT_EQ(stats.since(&gs_stats_t::elided_synchronizes), 0u) << call;
        EXPECT_EQ(asked(stream), each) << call;
    };
    ASSERT_OK(gs_stream_launch_host(stream, nothing, nullptr));
    expect_ended("launch_host");
    ASSERT_OK(gs_memset_async(bytes.at(0), 1, 1, stream));
    expect_ended("memset");
    ASSERT_OK(gs_memcpy_async(bytes.at(1), bytes.at(0), 1, stream));
    expect_ended("memcpy");
    ASSERT_OK(gs_stream_sleep(stream, 1));
    expect_ended("sleep");
    ASSERT_OK(gs_event_record(event, stream));
    expect_ended("record");
    ASSERT_OK(gs_stream_wait_stream(stream, other));
    expect_ended("wait_stream");
    ASSERT_OK(gs_stream_wait_stream(other, stream));
    expect_ended("wait_stream, as the one that is waited for");
    void *memory = nullptr;
    ASSERT_OK(gs_malloc_async(64, stream, &memory));
    ASSERT_OK(gs_memset_async(memory, 0, 64, stream));
    ASSERT_OK(gs_free_async(memory, stream));
    expect_ended("memory");
    ASSERT_OK(gs_stream_notify(stream, told, nullptr));
    EXPECT_OK(gs_stream_synchronize(stream));
}

TEST_P(Conformance, KnownIdle_NotOfAGraphsLaunch) {
    Stream stream = make_stream(0);
    Bytes bytes(1);
    Graph graph = make_graph();
    add_memset(graph, {}, bytes.at(0), 7, 1);
    GraphExec exec = instantiate(graph);
    ASSERT_OK(gs_stream_synchronize(stream));
    ASSERT_OK(gs_graph_exec_launch(exec, stream));
    StatsDelta stats;
    ASSERT_OK(gs_stream_synchronize(stream));
    EXPECT_EQ(stats.since(&gs_stats_t::elided_synchronizes), 0u);
    EXPECT_EQ(bytes[0], 7);
}

TEST_P(Conformance, KnownIdle_NotWhileItIsCaptured) {
    Stream stream = make_stream(0);
    ASSERT_OK(gs_stream_synchronize(stream));
    ASSERT_OK(gs_stream_begin_capture(stream, GS_CAPTURE_RELAXED));
    EXPECT_EQ(gs_stream_synchronize(stream), GS_ERROR_CAPTURING);
    EXPECT_TRUE(end_capture(stream));
    EXPECT_OK(gs_stream_synchronize(stream));
}

// Once a second thread has used the stream neither knows what the other one does.
TEST_P(Conformance, KnownIdle_OnlyToTheOneThread) {
    Stream stream = make_stream(0);
    ASSERT_OK(gs_stream_synchronize(stream));
    Gate gate;
    std::thread([&] { ASSERT_OK(gate.hold(stream)); }).join();
    EXPECT_FALSE(is_idle(stream));
    gate.open();
    EXPECT_OK(gs_stream_synchronize(stream));
    EXPECT_EQ(asked(stream), 2u);
    std::thread([&] { EXPECT_EQ(asked(stream), 2u); }).join();
}

TEST_P(Conformance, KnownIdle_NotOfWhatOthersUse) {
    Stream shown = make_stream(0), blocking = make_stream(0, GS_STREAM_BLOCKING);
    uintptr_t native = 0;
    ASSERT_OK(gs_stream_native(shown, &native));
    for (Stream *stream : {&shown, &blocking}) {
        ASSERT_OK(gs_stream_synchronize(*stream));
        EXPECT_EQ(asked(*stream), 2u);
    }
    for (const gs_stream_t stream : {default_stream(0), per_thread_stream(0)}) {
        ASSERT_OK(gs_stream_synchronize(stream));
        StatsDelta stats;
        ASSERT_OK(gs_stream_synchronize(stream));
        EXPECT_EQ(stats.since(&gs_stats_t::elided_synchronizes), 0u);
    }
}

// The next owner of the driver stream begins with what the last one has left in it.
TEST_P(Conformance, KnownIdle_NotOfTheNextOwnersWork) {
    for (int i = 0; i < 40; ++i) {
        Stream stream = make_stream(0);
        ASSERT_OK(gs_stream_synchronize(stream));
        Gate gate;
        ASSERT_OK(gate.hold(stream));
        EXPECT_FALSE(is_idle(stream)) << i;
        gate.open();
        if (i % 2) ASSERT_OK(gs_stream_synchronize(stream));
    }
}

} // namespace gs::test
