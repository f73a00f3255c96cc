// SPDX-License-Identifier: Apache-2.0
// Order that host functions make, and what the checker cannot know: executables and timelines from before its start, values
// that were there first, words.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sched.h>

#include <atomic>
#include <thread>

#include "checker/graphs.hpp"
#include "support/timelines.hpp"

namespace gs::check::test {
namespace {

using ::testing::HasSubstr;

class CheckFunctions : public GraphPattern {
protected:
    static void signal(void *timeline) { EXPECT_OK(gs_timeline_signal(static_cast<gs_timeline_t>(timeline), 1)); }
};

// A function comes after the work before it, and what it signals does, too.
TEST_F(CheckFunctions, AFunctionThatSignalsPassesItsStreamsOrderOn) {
    for (const int way : {0, 1, 2}) {
        Checking checking;
        const gs::test::Timeline timeline;
        ASSERT_OK(write(copy, "one"));
        if (way == 0) ASSERT_OK(gs_stream_launch_host(copy, signal, timeline.get()));
        if (way == 1) ASSERT_OK(gs_stream_defer(copy, signal, timeline.get()));
        if (way == 2) ASSERT_OK(gs_stream_notify(copy, [](void *arg, gs_status_t) { signal(arg); }, timeline.get()));
        if (way == 1) ASSERT_OK(gs_trim()); // its batch begins
        std::atomic<uint64_t> value{0};
        while (value == 0) { // read by no call that the checker sees
            uint64_t now = 0;
            ASSERT_OK(gs_timeline_synchronize(timeline, 1, -1));
            ASSERT_OK(gs_timeline_value(timeline, &now));
            value = now;
        }
        ASSERT_OK(gs_stream_wait_timeline(compute, timeline, 1));
        ASSERT_OK(write(compute, "two"));
        EXPECT_EQ(checking.count(), 0u) << way;
        ASSERT_OK(gs_stream_wait_stream(copy, compute));
    }
}

// A host function of a graph may run before its launch has returned. What it signals comes after the work before the launch,
// and after the nodes before the function, in whatever branch.
TEST_F(CheckFunctions, AHostNodeOfALaunchPassesItsOrderOn) {
    Checking checking;
    for (int round = 0; round < 200; ++round) {
        const gs::test::Timeline timeline;
        const Graph graph = make_graph();
        gs_node_t node = 0;
        const gs_node_t before[] = {add_fill(graph, to, {}), add_fill(graph, other_to, {})};
        ASSERT_OK(gs_graph_add_node(graph, before, 2, host_node(signal, timeline.get()), &node));
        const Exec exec = instantiate(graph);
        ASSERT_OK(write(copy, "one"));
        ASSERT_OK(gs_graph_exec_launch(exec, copy));
        ASSERT_OK(gs_timeline_synchronize(timeline, 1, -1));
        ASSERT_OK(write(compute, "two"));
        ASSERT_OK(gs_check_write(compute, to, kBytes, "three"));
        ASSERT_OK(gs_check_write(compute, other_to, kBytes, "four"));
        ASSERT_EQ(checking.count(), 0u) << round;
        ASSERT_OK(gs_stream_wait_stream(copy, compute));
    }
}

// What a graph kept is released by the library's thread, once no launch can use it any more.
struct Kept {
    gs_stream_t stream;
    void *memory = nullptr;
    std::atomic<bool> released{false};
    static void release(void *arg) {
        auto *self = static_cast<Kept *>(arg);
        EXPECT_OK(gs_free_async(self->memory, self->stream));
        self->released = true;
    }
};

TEST_F(CheckFunctions, AReleaseComesAfterTheLaunches) {
    for (const bool updated : {false, true}) {
        Checking checking;
        Kept kept{side};
        ASSERT_OK(gs_malloc_async(kBytes, copy, &kept.memory));
        Graph graph = make_graph();
        add_fill(graph, kept.memory, {});
        ASSERT_OK(gs_graph_keep(graph, Kept::release, &kept));
        Exec exec = instantiate(graph);
        ASSERT_OK(gs_graph_exec_launch(exec, copy));
        graph.reset();
        if (updated) {
            const Graph next = make_graph();
            add_fill(next, to, {});
            gs_graph_update_t update{};
            update.struct_size = sizeof update;
            ASSERT_OK(gs_graph_exec_update(exec, next, &update));
        } else {
            exec.reset();
        }
        while (!kept.released) sched_yield(); // no call that the checker sees
        EXPECT_EQ(checking.count(), 0u) << updated;
        ASSERT_OK(gs_stream_synchronize(side));
    }
}

// One that fails orders nothing, and the next one counts.
TEST_F(CheckFunctions, ALaunchThatFailsIsNoLaunch) {
    Checking checking;
    const gs::test::Timeline timeline;
    const Graph graph = make_graph();
    gs_node_t node = 0;
    const gs_node_t filled = add_fill(graph, to, {});
    add_fill(graph, other_to, {});
    ASSERT_OK(gs_graph_add_node(graph, &filled, 1, host_node(signal, timeline.get()), &node));
    const Exec exec = instantiate(graph);
    const Stream far = make_stream(1);
    ASSERT_OK(gs_check_write(copy, to, kBytes, "one"));
    EXPECT_STATUS(GS_ERROR_DEVICE_MISMATCH, gs_graph_exec_launch(exec, far));
    EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_graph_exec_launch(exec, nullptr));
    EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_graph_exec_launch(nullptr, compute));
    EXPECT_EQ(checking.count(), 0u);
    ASSERT_OK(gs_graph_exec_launch(exec, compute));
    EXPECT_EQ(checking.count(), 1u);
    ASSERT_OK(gs_stream_synchronize(compute));
}

TEST_F(CheckFunctions, AValueThatWasThereFirstProvesNothing) {
    Checking checking;
    const gs::test::Timeline timeline(5);
    ASSERT_OK(write(copy, "one"));
    ASSERT_OK(gs_stream_wait_timeline(compute, timeline, 3));
    ASSERT_OK(gs_timeline_synchronize(timeline, 5, 0));
    ASSERT_OK(write(compute, "two"));
    EXPECT_EQ(checking.count(), 1u);
}

// What was signalled while the checker was off is no proof, and what comes later is one.
TEST_F(CheckFunctions, ATimelineFromBeforeTheStart) {
    const gs::test::Timeline timeline;
    ASSERT_OK(gs_stream_signal_timeline(copy, timeline, 1));
    Checking checking;
    ASSERT_OK(write(copy, "one"));
    ASSERT_OK(gs_timeline_synchronize(timeline, 1, -1));
    ASSERT_OK(write(compute, "two"));
    EXPECT_EQ(checking.count(), 1u);
    ASSERT_OK(gs_stream_signal_timeline(compute, timeline, 2));
    ASSERT_OK(gs_timeline_synchronize(timeline, 2, -1));
    ASSERT_OK(write(side, "three"));
    EXPECT_EQ(checking.count(), 0u) << "what was signalled since orders";
}

TEST_F(CheckFunctions, ATimelineThatIsDestroyedInVainLives) {
    Checking checking;
    const gs::test::Timeline timeline;
    EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_timeline_destroy(nullptr));
    ASSERT_OK(write(copy, "one"));
    ASSERT_OK(gs_stream_signal_timeline(copy, timeline, 1));
    ASSERT_OK(gs_stream_wait_timeline(compute, timeline, 1));
    ASSERT_OK(write(compute, "two"));
    EXPECT_EQ(checking.count(), 0u);
}

// A host's signal that comes late: streams that have learnt of the larger one's order learn of this one's.
TEST_F(CheckFunctions, ASmallerSignalOfTheHostBehindALargerOneThatWaitsForIt) {
    Checking checking;
    const gs::test::Timeline timeline;
    ASSERT_OK(write(side, "one"));
    ASSERT_OK(gs_stream_wait_timeline(copy, timeline, 1));
    ASSERT_OK(gs_stream_signal_timeline(copy, timeline, 2));
    ASSERT_OK(gs_stream_wait_timeline(compute, timeline, 2));
    ASSERT_OK(gs_stream_synchronize(side));
    ASSERT_OK(gs_timeline_signal(timeline, 1));
    ASSERT_OK(write(compute, "two"));
    EXPECT_EQ(checking.count(), 0u);
    ASSERT_OK(gs_device_synchronize(0));
}

// Batches: writes alone are work, one wait leaves the order open until it is seen to be met.
TEST_F(CheckFunctions, BatchesOfValues) {
    Checking checking;
    *static_cast<uint64_t *>(to) = 0;
    const gs_value_op_t set{to, 1, GS_VALUE_WRITE, 0}, wait{to, 1, GS_VALUE_GEQ, 0};
    const gs_value_op_t both[] = {set, wait};
    gs_value_op_t bad = set;
    bad.reserved = 1;
    ASSERT_OK(write(copy, "one"));
    ASSERT_OK(gs_stream_batch_values(compute, nullptr, 0));
    EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_stream_batch_values(compute, &bad, 1));
    ASSERT_OK(gs_stream_batch_values(compute, &set, 1));
    ASSERT_OK(write(compute, "two"));
    EXPECT_EQ(checking.count(), 1u) << "none of them orders the streams";
    ASSERT_OK(gs_stream_batch_values(side, both, 2));
    ASSERT_OK(gs_stream_batch_values(side, both, 2)); // waits once more, in the same order
    ASSERT_OK(write(side, "three"));
    EXPECT_EQ(checking.count(), 0u) << "what comes before it is not known yet";
    ASSERT_OK(gs_stream_synchronize(side));
    ASSERT_OK(write(side, "four"));
    EXPECT_EQ(checking.count(), 0u);
}

// The plan of an executable is read when it is made: of one from before, nothing is known until it is updated.
TEST_F(CheckFunctions, AnExecutableFromBeforeTheStart) {
    const Graph graph = make_graph();
    const gs_node_t copied = add_copy(graph, to, from, {});
    const Exec exec = instantiate(graph);
    Checking checking;
    ASSERT_OK(gs_check_write(copy, from, kBytes, "input"));
    ASSERT_OK(gs_graph_exec_set_node(exec, copied, copy_node(other_to, from, kBytes)));
    ASSERT_OK(gs_graph_exec_enable_node(exec, copied, 0));
    ASSERT_OK(gs_graph_exec_enable_node(exec, copied, 1));
    ASSERT_OK(gs_graph_exec_launch(exec, compute));
    EXPECT_EQ(checking.count(), 0u);
    gs_graph_update_t update{};
    update.struct_size = sizeof update;
    ASSERT_OK(gs_graph_exec_update(exec, graph, &update));
    ASSERT_OK(gs_graph_exec_launch(exec, compute));
    EXPECT_EQ(checking.count(), 1u) << "reads the input";
}

// A reference fewer is not the end.
TEST_F(CheckFunctions, ObjectsWithASecondReference) {
    const Graph graph = make_graph();
    add_copy(graph, to, from, {});
    Checking checking;
    const Exec exec = instantiate(graph);
    ASSERT_OK(gs_graph_exec_retain(exec));
    ASSERT_OK(gs_graph_exec_destroy(exec));
    ASSERT_OK(gs_stream_retain(copy));
    ASSERT_OK(gs_stream_destroy(copy));
    ASSERT_OK(gs_event_record(event, side));
    ASSERT_OK(gs_event_retain(event));
    ASSERT_OK(gs_event_destroy(event));
    ASSERT_OK(gs_check_write(copy, from, kBytes, "input"));
    ASSERT_OK(gs_graph_exec_launch(exec, compute));
    EXPECT_EQ(checking.count(), 1u) << "the plan is still known, and so is the stream";
    ASSERT_OK(gs_check_write(side, other_to, kBytes, "later"));
    ASSERT_OK(gs_stream_wait_event(compute, event));
    ASSERT_OK(gs_check_write(compute, other_to, kBytes, "too early a record"));
    EXPECT_EQ(checking.count(), 1u);
}

TEST_F(CheckFunctions, StartedAgainItKeepsWhatItKnows) {
    Checking checking;
    ASSERT_OK(write(copy, "one"));
    ASSERT_OK(gs_check_start(GS_CHECK_STACKS));
    ASSERT_OK(write(compute, "two"));
    const auto reports = checking.reports();
    ASSERT_EQ(reports.size(), 1u);
    EXPECT_THAT(reports[0].text, HasSubstr("\"one\""));
    EXPECT_THAT(reports[0].text, HasSubstr("#0 ")) << "with stacks from then on";
}

// A free of pinned memory is a write by its thread: a race while a stream still reads the memory, and right once the thread
// has waited for the stream.
TEST_F(CheckFunctions, PinnedMemoryThatIsFreedTooEarly) {
    void *memory = nullptr;
    ASSERT_OK(gs_malloc_host(kBytes, &memory));
    Checking checking;
    void *seen = nullptr, *passed = nullptr;
    ASSERT_OK(gs_malloc_host(kBytes, &seen));
    ASSERT_OK(gs_malloc_host(kBytes, &passed));
    ASSERT_OK(gs_check_read(copy, seen, kBytes, "reads"));
    ASSERT_OK(gs_free_host(seen));
    const auto reports = checking.reports();
    ASSERT_EQ(reports.size(), 1u);
    EXPECT_THAT(reports[0].text, HasSubstr("the free by the host thread"));
    EXPECT_THAT(reports[0].text, HasSubstr("Let the thread see that the earlier access is done"));
    ASSERT_OK(gs_check_read(copy, passed, kBytes, "reads"));
    ASSERT_OK(gs_stream_synchronize(copy));
    ASSERT_OK(gs_free_host(passed));
    ASSERT_OK(gs_free_host(memory)); // from before the start: not known
    ASSERT_OK(gs_free_host(nullptr));
    EXPECT_EQ(checking.count(), 0u);
}

} // namespace
} // namespace gs::check::test
