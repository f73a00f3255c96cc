// SPDX-License-Identifier: Apache-2.0
// Captures of the host engine, and what launches of their graphs do.
#include <gmock/gmock.h>

#include <atomic>

#include "unit/host_graph_support.hpp"

namespace gs::host {
namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

TEST_F(HostGraphTest, ACaptureRunsAtEachLaunchOnly) {
    Stream &s = stream(), &t = stream();
    ASSERT_EQ(engine_->capture_begin(s, {}), Result::Ok);
    mark(s, 1);
    mark(s, 2);
    Graph *graph = capture_end(s);
    EXPECT_EQ(graph->nodes.size(), 2u);
    GraphExec &exec = instantiate(*graph);
    ASSERT_EQ(engine_->graph_destroy(*graph), Result::Ok);
    sync(s);
    EXPECT_TRUE(trace_.entries().empty());
    mark(t, 0);
    launch(exec, t);
    mark(t, 3);
    launch(exec, t);
    sync(t);
    EXPECT_THAT(trace_.entries(), ElementsAre(0, 1, 2, 3, 1, 2));
    engine_->exec_destroy(exec);
}

// Two functions that wait for each other.
struct Meeting {
    std::atomic<int> arrived{0};
    static void meet(void *self) {
        auto &arrived = static_cast<Meeting *>(self)->arrived;
        ++arrived;
        while (arrived.load() < 2) {}
    }
};

TEST_F(HostGraphTest, BranchesOfOneLaunchOverlap) {
    Stream &s = stream(), &t = stream();
    Meeting meeting;
    ASSERT_EQ(engine_->capture_begin(s, {}), Result::Ok);
    mark(s, 1);
    follow(t, s);
    call(s, Meeting::meet, &meeting);
    call(t, Meeting::meet, &meeting);
    mark(t, 2);
    follow(s, t);
    mark(s, 3);
    GraphExec &exec = instantiate(*capture_end(s));
    for (int i = 0; i < 3; ++i) {
        meeting.arrived = 0;
        launch(exec, s);
        sync(s);
    }
    EXPECT_THAT(trace_.entries(), ElementsAre(1, 2, 3, 1, 2, 3, 1, 2, 3));
    engine_->exec_destroy(exec);
}

TEST_F(HostGraphTest, AnExecutableNeverOverlapsItself) {
    Stream &a = stream(), &b = stream();
    ASSERT_EQ(engine_->capture_begin(a, {}), Result::Ok);
    mark(a, 1);
    follow(b, a);
    mark(b, 2);
    follow(a, b);
    mark(a, 3);
    GraphExec &exec = instantiate(*capture_end(a));
    Gate gate(*engine_);
    gate.hold(a);
    launch(exec, a);
    launch(exec, b);
    mark(b, 4);
    EXPECT_EQ(engine_->stream_query(b), Result::NotReady);
    gate.open();
    sync(b);
    EXPECT_THAT(trace_.entries(), ElementsAre(1, 2, 3, 1, 2, 3, 4));
    engine_->exec_destroy(exec); // while nothing runs
}

TEST_F(HostGraphTest, CapturesThatCannotEnd) {
    Stream &s = stream(), &t = stream(), &u = stream();
    Graph *graph = nullptr;
    EXPECT_EQ(engine_->capture_end(s, 0, &graph), Result::NotCapturing);
    ASSERT_EQ(engine_->capture_begin(s, {}), Result::Ok);
    mark(s, 1);
    follow(t, s);
    mark(t, 2);
    EXPECT_EQ(engine_->capture_end(t, 0, &graph), Result::CaptureUnmatched);
    EXPECT_EQ(engine_->capture_end(s, 0, &graph), Result::CaptureUnjoined);
    EXPECT_EQ(Engine::capture_of(t), 0u);
    ASSERT_EQ(engine_->capture_begin(s, {.mode = CaptureMode::ThreadLocal, .thread = 1}), Result::Ok);
    follow(t, s); // joined with nothing to do
    EXPECT_EQ(engine_->capture_end(s, 2, &graph), Result::CaptureThread);
    EXPECT_EQ(graph, nullptr);
    ASSERT_EQ(engine_->capture_begin(s, {}), Result::Ok);
    follow(u, s);
    EXPECT_EQ(engine_->capture_end(s, 0, &graph), Result::Ok);
    EXPECT_TRUE(graph->nodes.empty());
    GraphExec &empty = instantiate(*graph);
    launch(empty, s);
    sync(s);
    engine_->exec_destroy(empty);
}

TEST_F(HostGraphTest, EventNodesRecordAndWaitAtTheLaunch) {
    Stream &s = stream(), &t = stream(), &held = stream();
    Event &in = event(), &out = event();
    ASSERT_EQ(engine_->capture_begin(s, {}), Result::Ok);
    mark(s, 1);
    ASSERT_EQ(engine_->stream_wait(s, in, true), Result::Ok);
    mark(s, 2);
    ASSERT_EQ(engine_->event_record(out, s, true), Result::Ok);
    GraphExec &exec = instantiate(*capture_end(s));
    EXPECT_EQ(engine_->event_query(out), Result::Ok) << "never recorded";
    Gate gate(*engine_);
    gate.hold(held);
    mark(held, 0);
    ASSERT_EQ(engine_->event_record(in, held, false), Result::Ok);
    launch(exec, s);
    ASSERT_EQ(engine_->stream_wait(t, out, false), Result::Ok);
    mark(t, 3);
    EXPECT_EQ(engine_->event_query(out), Result::NotReady);
    gate.open();
    sync(t);
    EXPECT_EQ(engine_->event_query(out), Result::Ok);
    const std::vector<int> order = trace_.entries();
    EXPECT_THAT(order, UnorderedElementsAre(0, 1, 2, 3));
    EXPECT_EQ(order[3], 3);
    EXPECT_EQ(order[2], 2);
    engine_->exec_destroy(exec);
}

TEST_F(HostGraphTest, WhatIsKeptLivesUntilTheLastLaunchHasEnded) {
    Stream &s = stream();
    std::atomic<int> released{0};
    const auto release = [](void *count) { ++*static_cast<std::atomic<int> *>(count); };
    Graph *graph = nullptr;
    ASSERT_EQ(engine_->capture_begin(s, {}), Result::Ok);
    ASSERT_EQ(engine_->launch(s, Task{[](void *) {}, release, &released}), Result::Ok);
    graph = capture_end(s);
    ASSERT_EQ(engine_->graph_keep(*graph, release, &released), Result::Ok);
    GraphExec &exec = instantiate(*graph);
    Gate gate(*engine_);
    gate.hold(s);
    launch(exec, s);
    ASSERT_EQ(engine_->graph_destroy(*graph), Result::Ok);
    engine_->exec_destroy(exec);
    EXPECT_EQ(released, 0);
    gate.open();
    sync(s);
    EXPECT_EQ(released, 2);
}

// With an update the work of a device may come to where another device's has been.
TEST_F(HostGraphTest, LanesAreOfTheDevicesOfTheirNodes) {
    Stream &s = stream(), &t = stream(), &urgent = stream(kGreatestPriority), &other = stream(0, false, 1);
    const auto capture = [&](Stream &middle, bool fails) {
        EXPECT_EQ(engine_->capture_begin(s, {}), Result::Ok);
        EXPECT_EQ(engine_->sleep(s, 1), Result::Ok);
        follow(middle, s);
        EXPECT_EQ(fails ? engine_->fault_later(middle, 719, "late") : engine_->sleep(middle, 1), Result::Ok);
        follow(other, middle);
        EXPECT_EQ(engine_->sleep(other, 1), Result::Ok);
        follow(s, other);
        return capture_end(s);
    };
    Graph *first = capture(t, false), *second = capture(urgent, true);
    GraphExec &exec = instantiate(*first, kExecNodePriorities);
    launch(exec, s);
    sync(s);
    UpdateReport report;
    ASSERT_EQ(engine_->exec_update(exec, *second, &report), Result::Ok);
    launch(exec, t);
    EXPECT_EQ(engine_->stream_synchronize(t), Result::Faulted);
    EXPECT_EQ(engine_->fault(device()).code, 719);
    EXPECT_EQ(engine_->fault(device(1)).code, 0);
    EXPECT_EQ(engine_->stream_synchronize(other), Result::Ok);
    engine_->exec_destroy(exec);
}

} // namespace
} // namespace gs::host
