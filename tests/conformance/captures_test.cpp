// SPDX-License-Identifier: Apache-2.0
// Captures that begin through the library: their life, who may end them, what comes out of them.
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include "conformance/captures.hpp"
#include "support/long_form.hpp"
#include "support/nodes.hpp"
#include "support/own_process.hpp"

namespace gs::test {
namespace {

void add_one(void *arg) { ++*static_cast<std::atomic<int> *>(arg); }

// Until most of what ended graphs kept is released: that happens on one thread, which falls behind on a busy machine.
void wait_for_releases() {
    gs_graph_t graph = nullptr;
    std::atomic<int> released{0};
    ASSERT_OK(gs_graph_create(0, 0, &graph));
    EXPECT_OK(gs_graph_keep(graph, add_one, &released));
    ASSERT_OK(gs_graph_destroy(graph));
    while (released == 0) std::this_thread::yield();
}

// What the process occupies, from the kernel.
long resident_bytes() {
    long pages = 0;
    std::FILE *file = std::fopen("/proc/self/statm", "r");
    if (!file || std::fscanf(file, "%*d %ld", &pages) != 1) ADD_FAILURE() << "/proc/self/statm";
    if (file) std::fclose(file);
    return pages * sysconf(_SC_PAGESIZE);
}

} // namespace

TEST_P(Conformance, Capture_BecomesAGraphThatRuns) {
    Stream stream = make_stream(0);
    std::atomic<int> count{0};
    for (const int32_t mode : kCaptureModes) {
        SCOPED_TRACE(mode);
        count = 0;
        ASSERT_OK(gs_stream_begin_capture(stream, mode));
        EXPECT_OK(gs_stream_launch_host(stream, add_one, &count));
        const gs_capture_info_t info = info_of(stream);
        EXPECT_EQ(info.state, GS_CAPTURE_STATE_ACTIVE);
        EXPECT_EQ(info.mode, mode);
        EXPECT_EQ(info.origin, stream.get());
        EXPECT_NE(info.id, 0u);
        Graph graph = end_capture(stream);
        EXPECT_EQ(graph.get(), info.graph);
        EXPECT_EQ(capture_state(stream), GS_CAPTURE_STATE_NONE);
        EXPECT_EQ(count, 0);
        GraphExec exec = instantiate(graph);
        graph.reset();
        EXPECT_OK(gs_graph_exec_upload(exec, stream));
        for (int i = 0; i < 3; ++i) EXPECT_OK(gs_graph_exec_launch(exec, stream));
        EXPECT_OK(gs_stream_synchronize(stream));
        EXPECT_EQ(count, 3);
    }
}

TEST_P(Conformance, Capture_ForksAndJoins) {
    Stream stream = make_stream(0), side = make_stream(0), third = make_stream(0);
    Event fork = make_event(), join = make_event();
    std::atomic<int> count{0};
    ASSERT_OK(gs_stream_begin_capture(stream, GS_CAPTURE_GLOBAL));
    EXPECT_OK(gs_event_record(fork, stream));
    EXPECT_OK(gs_stream_wait_event(side, fork));
    EXPECT_EQ(info_of(side).id, info_of(stream).id);
    EXPECT_OK(gs_stream_launch_host(side, add_one, &count));
    EXPECT_OK(gs_stream_wait_stream(third, side));
    EXPECT_OK(gs_stream_launch_host(third, add_one, &count));
    gs_graph_t none = nullptr;
    EXPECT_FAILS(GS_ERROR_CAPTURING, gs_stream_end_capture, "must end", side, &none);
    EXPECT_FAILS(GS_ERROR_CAPTURING, gs_stream_abort_capture, "must end", side);
    EXPECT_OK(gs_event_record(join, third));
    EXPECT_OK(gs_stream_wait_event(stream, join));
    Graph graph = end_capture(stream);
    EXPECT_EQ(capture_state(side), GS_CAPTURE_STATE_NONE);
    GraphExec exec = instantiate(graph);
    EXPECT_OK(gs_graph_exec_launch(exec, side));
    EXPECT_OK(gs_stream_synchronize(side));
    EXPECT_EQ(count, 2);
}

// A stream whose raw handle was given out is reset for its next owner, which drivers may count as unsafe in a capture.
TEST_P(Conformance, Capture_StreamsAreMadeBesideIt) {
    Stream stream = make_stream(0);
    std::vector<Stream> before;
    for (int i = 0; i < 4; ++i) before.push_back(make_stream(0));
    uintptr_t native = 0;
    for (const Stream &each : before) ASSERT_OK(gs_stream_native(each, &native));
    before.clear();
    std::atomic<int> count{0};
    for (const int32_t mode : kCaptureModes) {
        ASSERT_OK(gs_stream_begin_capture(stream, mode));
        Stream one = make_stream(0), two = make_stream(0);
        EXPECT_OK(gs_stream_launch_host(stream, add_one, &count));
        EXPECT_EQ(capture_state(stream), GS_CAPTURE_STATE_ACTIVE);
        EXPECT_NE(end_capture(stream).get(), nullptr);
    }
}

// A driver refuses to query an event that was last recorded in a capture, so a new event must not get that one.
TEST_P(Conformance, Capture_ItsEventsServeNoOtherOwner) {
    Stream stream = make_stream(0);
    std::vector<Event> used;
    for (int i = 0; i < 4; ++i) used.push_back(make_event());
    ASSERT_OK(gs_stream_begin_capture(stream, GS_CAPTURE_GLOBAL));
    for (Event &event : used) ASSERT_OK(gs_event_record(event, stream));
    (void)end_capture(stream);
    used.clear();
    gs_graph_t created = nullptr;
    ASSERT_OK(gs_graph_create(0, 0, &created));
    Graph graph(created);
    for (int i = 0; i < 4; ++i) {
        Event fresh = make_event();
        gs_node_t node = 0;
        ASSERT_OK(gs_graph_add_node(graph, nullptr, 0, record_node(fresh), &node));
        EXPECT_TRUE(done(fresh.get())) << "nothing has recorded it";
    }
}

TEST_P(Conformance, Capture_BadInput) {
    Stream stream = make_stream(0), side = make_stream(0);
    gs_graph_t none = nullptr;
    EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_stream_begin_capture(stream, 3));
    EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_stream_begin_capture(stream, -1));
    EXPECT_STATUS(GS_ERROR_NOT_SUPPORTED, gs_stream_begin_capture(default_stream(0), GS_CAPTURE_RELAXED));
    EXPECT_FAILS(GS_ERROR_NOT_PERMITTED, gs_stream_end_capture, "not being captured", stream, &none);
    EXPECT_FAILS(GS_ERROR_NOT_PERMITTED, gs_stream_abort_capture, "not being captured", stream);
    EXPECT_STATUS(GS_ERROR_NOT_PERMITTED, gs_stream_end_capture(default_stream(0), &none));
    size_t count = 7;
    EXPECT_STATUS(GS_ERROR_NOT_PERMITTED, gs_stream_capture_nodes(stream, nullptr, 0, &count));
    EXPECT_EQ(count, 0u);
    ASSERT_OK(gs_stream_begin_capture(stream, GS_CAPTURE_RELAXED));
    EXPECT_FAILS(GS_ERROR_CAPTURING, gs_stream_begin_capture, "thread", stream, GS_CAPTURE_RELAXED);
    const gs_graph_t graph = info_of(stream).graph;
    EXPECT_FAILS(GS_ERROR_NOT_PERMITTED, gs_graph_destroy, "capture", graph);
    EXPECT_FAILS(GS_ERROR_NOT_PERMITTED, gs_graph_retain, "capture", graph);
    gs_graph_exec_t exec = nullptr;
    EXPECT_STATUS(GS_ERROR_CAPTURING, gs_graph_instantiate(graph, 0, &exec));
    EXPECT_STATUS(GS_ERROR_CAPTURING, gs_stream_begin_capture_to(side, graph, nullptr, 0, GS_CAPTURE_RELAXED));
    EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_stream_set_capture_nodes(stream, nullptr, 1, 0));
    EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_stream_set_capture_nodes(stream, nullptr, 0, 2));
    const gs_node_t wrong[] = {0x7fffffffffffffff};
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_stream_set_capture_nodes, "no node", stream, wrong, 1, 1);
    EXPECT_EQ(capture_state(stream), GS_CAPTURE_STATE_ACTIVE);
    EXPECT_OK(gs_stream_abort_capture(stream));
    EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_graph_destroy(graph));
    EXPECT_TRUE(done(stream.get()));
}

// A fork that was not joined: the end fails, the capture is over, the streams are usable.
TEST_P(Conformance, Capture_UnjoinedForks) {
    Stream stream = make_stream(0), side = make_stream(0);
    std::atomic<int> count{0};
    ASSERT_OK(gs_stream_begin_capture(stream, GS_CAPTURE_RELAXED));
    EXPECT_OK(gs_stream_launch_host(stream, add_one, &count));
    EXPECT_OK(gs_stream_wait_stream(side, stream));
    EXPECT_OK(gs_stream_launch_host(side, add_one, &count));
    const gs_graph_t graph = info_of(stream).graph;
    gs_graph_t none = nullptr;
    EXPECT_STATUS(GS_ERROR_CAPTURING, gs_stream_end_capture(stream, &none));
    EXPECT_EQ(none, nullptr);
    EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_graph_retain(graph));
    EXPECT_EQ(capture_state(stream), GS_CAPTURE_STATE_NONE);
    EXPECT_EQ(capture_state(side), GS_CAPTURE_STATE_NONE);
    EXPECT_OK(gs_stream_synchronize(stream));
    EXPECT_OK(gs_stream_synchronize(side));
    EXPECT_EQ(count, 0);
}

TEST_P(Conformance, Capture_EndsOnItsThread) {
    Stream stream = make_stream(0);
    for (const int32_t mode : kCaptureModes) {
        SCOPED_TRACE(mode);
        ASSERT_OK(gs_stream_begin_capture(stream, mode));
        std::thread([&] {
            gs_graph_t graph = nullptr;
            if (mode == GS_CAPTURE_RELAXED) {
                EXPECT_OK(gs_stream_end_capture(stream, &graph));
                EXPECT_OK(gs_graph_destroy(graph));
            } else {
                EXPECT_FAILS(GS_ERROR_CAPTURING, gs_stream_end_capture, "must end it", stream, &graph);
            }
        }).join();
        if (mode == GS_CAPTURE_RELAXED) continue;
        EXPECT_EQ(capture_state(stream), GS_CAPTURE_STATE_ACTIVE);
        end_capture(stream).reset();
    }
}

// The thread that began the capture is gone: any other thread may abort it.
TEST_P(Conformance, Capture_OfAThreadThatEnded) {
    Stream stream = make_stream(0);
    std::thread([&] { EXPECT_OK(gs_stream_begin_capture(stream, GS_CAPTURE_THREAD_LOCAL)); }).join();
    EXPECT_EQ(capture_state(stream), GS_CAPTURE_STATE_ACTIVE);
    gs_graph_t graph = nullptr;
    EXPECT_STATUS(GS_ERROR_CAPTURING, gs_stream_end_capture(stream, &graph));
    EXPECT_OK(gs_stream_abort_capture(stream));
    EXPECT_EQ(capture_state(stream), GS_CAPTURE_STATE_NONE);
    EXPECT_OK(gs_stream_synchronize(stream));
}

TEST_P(Conformance, Capture_IntoAGraph) {
    Stream stream = make_stream(0), side = make_stream(0);
    gs_graph_t made = nullptr;
    ASSERT_OK(gs_graph_create(0, 0, &made));
    Graph graph(made);
    std::atomic<int> count{0};
    std::vector<gs_node_t> last(1);
    for (int round = 0; round < 2; ++round) {
        ASSERT_OK(gs_stream_begin_capture_to(stream, graph, last.data(), round == 0 ? 0 : 1, GS_CAPTURE_GLOBAL));
        EXPECT_EQ(info_of(stream).graph, graph.get());
        EXPECT_OK(gs_stream_launch_host(stream, add_one, &count));
        size_t found = 0;
        EXPECT_OK(gs_stream_capture_nodes(stream, last.data(), 1, &found));
        EXPECT_EQ(found, 1u);
        EXPECT_NE(last[0], 0u);
        gs_graph_t again = nullptr;
        EXPECT_OK(gs_stream_end_capture(stream, &again));
        EXPECT_EQ(again, graph.get());
        EXPECT_OK(gs_graph_destroy(again)) << "the reference of the end";
    }
    GraphExec exec = instantiate(graph);
    EXPECT_OK(gs_graph_exec_launch(exec, stream));
    EXPECT_OK(gs_stream_synchronize(stream));
    EXPECT_EQ(count, 2);
    ASSERT_OK(gs_stream_begin_capture_to(side, graph, nullptr, 0, GS_CAPTURE_RELAXED));
    EXPECT_OK(gs_stream_abort_capture(side));
    EXPECT_OK(gs_graph_retain(graph)) << "an abort leaves the graph";
    EXPECT_OK(gs_graph_destroy(graph));
}

// Nodes of a capture can be given to its streams by hand.
TEST_P(Conformance, Capture_NodesAreSetByHand) {
    Stream stream = make_stream(0);
    std::atomic<int> count{0};
    ASSERT_OK(gs_stream_begin_capture(stream, GS_CAPTURE_RELAXED));
    EXPECT_OK(gs_stream_launch_host(stream, add_one, &count));
    gs_node_t first = 0, second = 0;
    size_t found = 0;
    ASSERT_OK(gs_stream_capture_nodes(stream, &first, 1, &found));
    EXPECT_OK(gs_stream_set_capture_nodes(stream, nullptr, 0, 0));
    EXPECT_OK(gs_stream_capture_nodes(stream, nullptr, 0, &found));
    EXPECT_EQ(found, 0u);
    EXPECT_OK(gs_stream_launch_host(stream, add_one, &count)); // beside the first one
    ASSERT_OK(gs_stream_capture_nodes(stream, &second, 1, &found));
    EXPECT_NE(first, second);
    EXPECT_OK(gs_stream_set_capture_nodes(stream, &first, 1, 1));
    EXPECT_OK(gs_stream_capture_nodes(stream, nullptr, 0, &found));
    EXPECT_EQ(found, 2u);
    Graph graph = end_capture(stream);
    Graph other = [&] {
        EXPECT_OK(gs_stream_begin_capture(stream, GS_CAPTURE_RELAXED));
        EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_stream_set_capture_nodes(stream, &first, 1, 1))
            << "a node of another graph";
        return end_capture(stream);
    }();
    GraphExec exec = instantiate(graph);
    EXPECT_OK(gs_graph_exec_launch(exec, stream));
    EXPECT_OK(gs_stream_synchronize(stream));
    EXPECT_EQ(count, 2);
}

// A million of them, or a thousand in the short form, in the memory of the first tenth.
TEST_P(ConformanceProcess, Capture_ManyLeaveNothing) {
    OWN_PROCESS();
    [[maybe_unused]] constexpr long kSlack = 2 << 20; // what allocators and drivers keep for themselves
    Stream stream = make_stream(0), side = make_stream(0);
    std::atomic<int> count{0};
    const int rounds = long_form() ? 1'000'000 : 1000;
    [[maybe_unused]] long early = 0;
    for (int i = 0; i < rounds; ++i) {
        if (i == rounds / 10) early = resident_bytes();
        ASSERT_OK(gs_stream_begin_capture(stream, kCaptureModes[i % 3]));
        ASSERT_OK(gs_stream_launch_host(stream, add_one, &count));
        ASSERT_OK(gs_stream_wait_stream(side, stream));
        ASSERT_OK(gs_stream_wait_stream(stream, side));
        if (i % 3 == 0)
            ASSERT_OK(gs_stream_abort_capture(stream));
        else
            end_capture(stream).reset();
        if (i % 1000 == 999) wait_for_releases();
    }
    EXPECT_EQ(count, 0);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) // which keep freed memory
    EXPECT_LT(resident_bytes(), early + kSlack);
#endif
}

} // namespace gs::test
