// SPDX-License-Identifier: Apache-2.0
// What gs_graph_keep was given lives until the graph, its executables and their launches have ended, and is then released
// once.
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "conformance/captures.hpp"
#include "support/foreign_event.hpp"
#include "support/gate.hpp"
#include "support/own_process.hpp"

namespace gs::test {
namespace {

// A thing that a graph keeps.
class Kept {
public:
    void keep_for(gs_graph_t graph) { ASSERT_OK(gs_graph_keep(graph, release, this)); }
    int released() const { return released_; }
    // A release is on its way from a thread of the driver through the library's. It is waited for as long as a hang is not
    // certain.
    bool wait() const { return wait_for_one(released_); }
    static bool wait_for_one(const std::atomic<int> &released) {
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
        while (released == 0 && std::chrono::steady_clock::now() < end) std::this_thread::yield();
        return released == 1;
    }

private:
    static void release(void *self) { ++static_cast<Kept *>(self)->released_; }
    std::atomic<int> released_{0};
};

// A release that is due, or one too many, comes about now: the driver reports each graph's end on a thread of its own. A later
// check that nothing was released may miss an error, but every error that it finds is real.
void let_releases_pass() {
    gs_graph_t graph = nullptr;
    ASSERT_OK(gs_graph_create(0, 0, &graph));
    Kept last;
    last.keep_for(graph);
    ASSERT_OK(gs_graph_destroy(graph));
    ASSERT_TRUE(last.wait());
}

Graph captured_fill(gs_stream_t stream, Bytes &bytes, int32_t value) {
    EXPECT_OK(gs_stream_begin_capture(stream, GS_CAPTURE_RELAXED));
    EXPECT_OK(gs_memset_async(bytes.at(0), value, 1, stream));
    return end_capture(stream);
}

} // namespace

TEST_P(Conformance, Keep_LastsUntilGraphExecutablesAndLaunchesHaveEnded) {
    Stream stream = make_stream(0), before = make_stream(0);
    Bytes bytes(1);
    Graph graph = captured_fill(stream, bytes, 5);
    Kept kept;
    kept.keep_for(graph);
    GraphExec exec = instantiate(graph), second = instantiate(graph);
    ASSERT_OK(
        gs_graph_exec_launch(exec, stream)); // the first launch uploads, and a driver may wait for host functions then
    ASSERT_OK(gs_stream_synchronize(stream));
    graph.reset();
    second.reset();
    let_releases_pass();
    EXPECT_EQ(kept.released(), 0) << "an executable is left";
    {
        Gate gate;
        ASSERT_OK(gate.hold(before));
        ASSERT_OK(gs_stream_wait_stream(stream, before));
        ASSERT_OK(gs_graph_exec_launch(exec, stream));
        exec.reset();
        EXPECT_EQ(kept.released(), 0) << "a launch is left";
        gate.open();
    }
    ASSERT_OK(gs_stream_synchronize(stream));
    EXPECT_TRUE(kept.wait());
    let_releases_pass();
    EXPECT_EQ(kept.released(), 1);
}

TEST_P(Conformance, Keep_AnUpdateReplacesWhatTheExecutableKeeps) {
    Stream stream = make_stream(0);
    Bytes bytes(1);
    Graph first = captured_fill(stream, bytes, 1), second = captured_fill(stream, bytes, 2);
    Kept old, fresh;
    old.keep_for(first);
    fresh.keep_for(second);
    GraphExec exec = instantiate(first);
    first.reset();
    gs_graph_update_t result{};
    result.struct_size = sizeof result;
    ASSERT_OK(gs_graph_exec_update(exec, second, &result));
    ASSERT_EQ(result.reason, GS_UPDATE_OK);
    second.reset();
    EXPECT_TRUE(old.wait());
    ASSERT_OK(gs_graph_exec_launch(exec, stream));
    ASSERT_OK(gs_stream_synchronize(stream));
    EXPECT_EQ(bytes[0], 2);
    EXPECT_EQ(fresh.released(), 0);
    exec.reset();
    EXPECT_TRUE(fresh.wait());
}

TEST_P(Conformance, Keep_EndsWithACaptureThatIsAborted) {
    Stream stream = make_stream(0);
    for (const int32_t mode : kCaptureModes) {
        SCOPED_TRACE(mode);
        Kept kept, elsewhere;
        ASSERT_OK(gs_stream_begin_capture(stream, mode));
        kept.keep_for(info_of(stream).graph);
        ASSERT_OK(gs_stream_abort_capture(stream));
        EXPECT_TRUE(kept.wait());
        ASSERT_OK(gs_stream_begin_capture(stream, mode));
        elsewhere.keep_for(info_of(stream).graph);
        std::thread([&] { EXPECT_OK(gs_stream_abort_capture(stream)); }).join();
        EXPECT_TRUE(elsewhere.wait());
        EXPECT_EQ(capture_state(stream), GS_CAPTURE_STATE_NONE);
    }
}

// The capture ends when its stream is about to serve another owner, or in gs_trim(), on whatever thread.
TEST_P(Conformance, Keep_EndsWithACaptureWhoseStreamWasDestroyed) {
    constexpr int kMore = 40; // a create asks two of the used streams
    for (const int32_t mode : kCaptureModes) {
        for (const bool trimmed : {false, true}) {
            for (const bool elsewhere : {false, true}) {
                SCOPED_TRACE(testing::Message()
                             << "mode " << mode << (trimmed ? ", trimmed" : "") << (elsewhere ? ", elsewhere" : ""));
                Kept kept;
                Stream stream = make_stream(0);
                ASSERT_OK(gs_stream_begin_capture(stream, mode));
                kept.keep_for(info_of(stream).graph);
                stream.reset();
                EXPECT_EQ(kept.released(), 0) << "it may be current on a thread, or destroyed in mid-call";
                const auto end_it = [&] {
                    if (trimmed) EXPECT_OK(gs_trim());
                    std::vector<Stream> streams;
                    for (int i = 0; i < kMore && !trimmed; ++i) {
                        streams.push_back(make_stream(0));
                        EXPECT_EQ(capture_state(streams.back()), GS_CAPTURE_STATE_NONE);
                    }
                };
                if (elsewhere)
                    std::thread(end_it).join();
                else
                    end_it();
                EXPECT_TRUE(kept.wait());
            }
        }
    }
}

// A stream that joined a capture and was destroyed is used again after the capture's end.
TEST_P(ConformanceProcess, Keep_StreamsThatJoinedACaptureServeOthersAfterIt) {
    OWN_PROCESS();
    Stream stream = make_stream(0);
    EXPECT_OK(gs_trim());
    const StatsDelta stats;
    for (int round = 0; round < 20; ++round) {
        ASSERT_OK(gs_stream_begin_capture(stream, GS_CAPTURE_GLOBAL));
        {
            Stream side = make_stream(0);
            ASSERT_OK(gs_stream_wait_stream(side, stream));
            ASSERT_OK(gs_stream_wait_stream(stream, side));
        }
        Stream asks = make_stream(0); // which finds the other one captured
        EXPECT_EQ(capture_state(asks), GS_CAPTURE_STATE_NONE);
        end_capture(stream).reset();
    }
    EXPECT_LE(stats.since(&gs_stats_t::stream_pool_misses), 6u);
}

// Each contains a copy of the other, so what one refers to is held by both, and by no ring of the two.
TEST_P(Conformance, Keep_EndsForGraphsThatContainEachOther) {
    struct Counted {
        explicit Counted(gs_backend_t kind) : foreign(kind) {}
        static void release(void *self) {
            ForeignEvent::release(&static_cast<Counted *>(self)->foreign);
            ++static_cast<Counted *>(self)->released;
        }
        ForeignEvent foreign;
        std::atomic<int> released{0};
    };
    Counted events[2] = {Counted(GetParam()), Counted(GetParam())};
    Graph graphs[2] = {make_graph(0), make_graph(0)};
    gs_node_t node = 0;
    for (int i = 0; i < 2; ++i) {
        gs_event_t event = nullptr;
        ASSERT_OK(gs_event_from_native_owned(0, events[i].foreign.native(), Counted::release, &events[i], &event));
        ASSERT_OK(gs_graph_add_node(graphs[i], nullptr, 0, record_node(event), &node));
        ASSERT_OK(gs_event_destroy(event));
    }
    ASSERT_OK(gs_graph_add_node(graphs[0], nullptr, 0, graph_node(graphs[1]), &node));
    ASSERT_OK(gs_graph_add_node(graphs[1], nullptr, 0, graph_node(graphs[0]), &node));
    graphs[0].reset();
    let_releases_pass();
    for (const Counted &one : events) EXPECT_EQ(one.released, 0) << "the other graph is left";
    graphs[1].reset();
    for (const Counted &one : events) EXPECT_TRUE(Kept::wait_for_one(one.released));
    let_releases_pass();
    for (const Counted &one : events) EXPECT_EQ(one.released, 1);
}

} // namespace gs::test
