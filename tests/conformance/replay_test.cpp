// SPDX-License-Identifier: Apache-2.0
// What launches of a captured graph do, on every backend.
#include <algorithm>
#include <array>
#include <atomic>
#include <thread>
#include <vector>

#include "conformance/conformance.hpp"
#include "support/gate.hpp"

namespace gs::test {
namespace {

class Exec {
public:
    explicit Exec(gs_graph_exec_t exec) : exec_(exec) {}
    ~Exec() { EXPECT_OK(gs_graph_exec_destroy(exec_)); }
    Exec(const Exec &) = delete;
    Exec &operator=(const Exec &) = delete;
    operator gs_graph_exec_t() const { return exec_; } // NOLINT: as the owners of support/objects.hpp

private:
    gs_graph_exec_t exec_;
};

void begin_capture(gs_stream_t stream) { ASSERT_OK(gs_stream_begin_capture(stream, GS_CAPTURE_THREAD_LOCAL)); }

gs_graph_exec_t end(gs_stream_t stream) {
    gs_graph_t graph = nullptr;
    gs_graph_exec_t exec = nullptr;
    EXPECT_OK(gs_stream_end_capture(stream, &graph));
    EXPECT_OK(gs_graph_instantiate(graph, 0, &exec));
    EXPECT_OK(gs_graph_destroy(graph));
    return exec;
}

// to waits for what from has now, as a fork or a join of a capture.
void follow(gs_stream_t to, gs_stream_t from) {
    Event event = make_event();
    ASSERT_OK(gs_event_record(event, from));
    ASSERT_OK(gs_event_wait(event, to));
}

struct Notes {
    std::atomic<int> length{0};
    std::array<std::atomic<int>, 64> entries{};
    struct Entry {
        Notes *log;
        int what;
    };
    static void note(void *opaque) {
        auto *entry = static_cast<Entry *>(opaque);
        entry->log->entries[static_cast<size_t>(entry->log->length.fetch_add(1))] = entry->what;
    }
    std::vector<int> all() const {
        std::vector<int> list;
        for (int i = 0; i < length.load(); ++i) list.push_back(entries[static_cast<size_t>(i)]);
        return list;
    }
};

} // namespace

TEST_P(Conformance, Replay_HostFunctionsRunAtEachLaunchInOrder) {
    Stream stream = make_stream(0), other = make_stream(0);
    Notes log;
    Notes::Entry one{&log, 1}, two{&log, 2}, three{&log, 3};
    begin_capture(stream);
    ASSERT_OK(gs_stream_launch_host(stream, Notes::note, &one));
    ASSERT_OK(gs_stream_launch_host(stream, Notes::note, &two));
    const Exec exec(end(stream));
    EXPECT_OK(gs_stream_synchronize(stream));
    EXPECT_TRUE(log.all().empty()) << "captured work does not run";
    ASSERT_OK(gs_graph_exec_launch(exec, stream));
    ASSERT_OK(gs_stream_launch_host(stream, Notes::note, &three));
    ASSERT_OK(gs_graph_exec_launch(exec, other)); // behind the first launch, which it must not overlap
    EXPECT_OK(gs_stream_synchronize(stream));
    EXPECT_OK(gs_stream_synchronize(other));
    const std::vector<int> all = log.all();
    ASSERT_EQ(all.size(), 5u);
    EXPECT_EQ(std::count(all.begin(), all.end(), 1), 2);
    EXPECT_LT(std::find(all.begin(), all.end(), 2), std::find(all.begin(), all.end(), 3));
    EXPECT_EQ(all[0], 1);
    EXPECT_EQ(all[1], 2);
}

TEST_P(Conformance, Replay_CopiesAndFillsHappenAtEachLaunch) {
    Stream stream = make_stream(0), fork = make_stream(0);
    Bytes bytes(8);
    begin_capture(stream);
    ASSERT_OK(gs_memset_async(bytes.at(0), 7, 2, stream));
    follow(fork, stream);
    ASSERT_OK(gs_memcpy_async(bytes.at(2), bytes.at(0), 2, fork));
    ASSERT_OK(gs_memcpy_async(bytes.at(4), bytes.at(0), 2, stream));
    follow(stream, fork);
    ASSERT_OK(gs_memcpy_async(bytes.at(6), bytes.at(2), 2, stream));
    const Exec exec(end(stream));
    for (int i = 0; i < 3; ++i) {
        ASSERT_OK(gs_memset_async(bytes.at(0), 0, 8, stream));
        ASSERT_OK(gs_graph_exec_launch(exec, stream));
        EXPECT_OK(gs_stream_synchronize(stream));
        for (size_t b = 0; b < 8; ++b) EXPECT_EQ(bytes[b], 7) << b;
    }
}

TEST_P(Conformance, Replay_EventNodesRecordAndWaitAtTheLaunch) {
    Stream stream = make_stream(0), before = make_stream(0), behind = make_stream(0);
    Event in = make_event(GS_EVENT_EXTERNAL), out = make_event(GS_EVENT_EXTERNAL);
    Bytes bytes(1);
    begin_capture(stream);
    ASSERT_OK(gs_event_wait(in, stream)); // a node, although the event has no record yet
    bytes.set(stream, 0, 100);            // a fill: a driver launches no copy behind a host function that runs
    ASSERT_OK(gs_event_record(out, stream));
    const Exec exec(end(stream));
    ASSERT_OK(gs_graph_exec_launch(exec, stream)); // the first one uploads, and may wait for host functions
    ASSERT_OK(gs_stream_synchronize(stream));
    for (uint8_t round = 1; round <= 3; ++round) {
        Gate gate;
        ASSERT_OK(gate.hold(before));
        ASSERT_OK(gs_memset_async(bytes.at(0), round, 1, before));
        ASSERT_OK(gs_event_record(in, before));
        ASSERT_OK(gs_graph_exec_launch(exec, stream));
        ASSERT_OK(gs_event_wait(out, behind));
        EXPECT_FALSE(done(out.get()));
        EXPECT_FALSE(done(behind.get()));
        gate.open();
        EXPECT_OK(gs_stream_synchronize(behind));
        EXPECT_EQ(bytes[0], 100) << "the launch came before the work that it has to wait for";
    }
}

TEST_P(Conformance, Replay_ExecutablesMayEndBeforeTheirLaunches) {
    Stream stream = make_stream(0), before = make_stream(0);
    Notes log;
    Notes::Entry one{&log, 1};
    begin_capture(stream);
    ASSERT_OK(gs_stream_launch_host(stream, Notes::note, &one));
    {
        const Exec exec(end(stream));
        Gate gate;
        ASSERT_OK(gate.hold(before));
        follow(stream, before);
        ASSERT_OK(gs_graph_exec_launch(exec, stream));
        ASSERT_OK(gs_graph_exec_launch(exec, stream));
        gate.open();
    }
    EXPECT_OK(gs_stream_synchronize(stream));
    EXPECT_EQ(log.all().size(), 2u);
}

// The driver would break the capture (seen with CUDA 13.0: cuGraphLaunch gives 900).
TEST_P(Conformance, Replay_ALaunchInACaptureIsRefused) {
    Stream stream = make_stream(0);
    Bytes bytes(3);
    begin_capture(stream);
    ASSERT_OK(gs_memcpy_async(bytes.at(1), bytes.at(0), 1, stream));
    const Exec inner(end(stream));
    ASSERT_OK(gs_graph_exec_launch(inner, stream));
    ASSERT_OK(gs_stream_synchronize(stream));
    begin_capture(stream);
    ASSERT_OK(gs_memset_async(bytes.at(1), 5, 1, stream));
    EXPECT_FAILS(GS_ERROR_CAPTURING, gs_graph_exec_launch, "GS_NODE_GRAPH", inner, stream);
    EXPECT_FAILS(GS_ERROR_CAPTURING, gs_graph_exec_upload, "GS_NODE_GRAPH", inner, stream);
    Stream beside = make_stream(0);
    EXPECT_OK(gs_graph_exec_launch(inner, beside)) << "other streams take launches";
    EXPECT_OK(gs_stream_synchronize(beside));
    ASSERT_OK(gs_memcpy_async(bytes.at(2), bytes.at(1), 1, stream));
    const Exec outer(end(stream));
    ASSERT_OK(gs_graph_exec_launch(outer, stream));
    EXPECT_OK(gs_stream_synchronize(stream));
    EXPECT_EQ(bytes[2], 5);
}

// Two functions that wait for each other: no GPU runs two host functions at the same time.
TEST_P(HostConformance, Replay_BranchesOfALaunchOverlap) {
    struct Meeting {
        std::atomic<int> arrived{0};
        static void meet(void *self) {
            auto &arrived = static_cast<Meeting *>(self)->arrived;
            const int round = arrived++ / 2;
            while (arrived.load() < 2 * round + 2) std::this_thread::yield();
        }
    } meeting;
    Stream stream = make_stream(0), fork = make_stream(0);
    begin_capture(stream);
    follow(fork, stream);
    ASSERT_OK(gs_stream_launch_host(stream, Meeting::meet, &meeting));
    ASSERT_OK(gs_stream_launch_host(fork, Meeting::meet, &meeting));
    follow(stream, fork);
    const Exec exec(end(stream));
    for (int i = 0; i < 3; ++i) ASSERT_OK(gs_graph_exec_launch(exec, stream));
    EXPECT_OK(gs_stream_synchronize(stream));
    EXPECT_EQ(meeting.arrived, 6);
}

} // namespace gs::test
