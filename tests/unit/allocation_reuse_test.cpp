// SPDX-License-Identifier: Apache-2.0
// What is made and ended again and again needs no memory after the first time: what awaits an event, batches of deferred
// functions. And what goes without memory.
#include <sched.h>

#include <atomic>
#include <cstring>
#include <vector>

#include "allocation_hook.hpp"
#include "support/entries.hpp"
#include "support/gate.hpp"
#include "support/objects.hpp"
#include "support/own_process.hpp"

namespace gs::test {
namespace {

constexpr int kTimes = 50; // fewer than a batch has room for

void add_one(void *counter) { ++*static_cast<std::atomic<int> *>(counter); }

} // namespace

TEST(AllocationReuse, EntriesOfEvents) {
    OWN_PROCESS({{"GPUSTREAM_BACKEND", "host"}});
    Stream stream = make_stream(0);
    std::vector<Event> events;
    for (int i = 0; i < kTimes; ++i) events.push_back(make_event());
    Queue queue;
    for (const bool first : {true, false}) {
        Gate gate;
        ASSERT_OK(gate.hold(stream));
        for (Event &event : events) ASSERT_OK(gs_event_record(event, stream));
        if (!first) fail_allocation(1, true);
        int added = 0;
        for (Event &event : events) added += gs_queue_add_event(queue, event, 1) == GS_OK;
        stop_failing();
        EXPECT_EQ(added, kTimes) << (first ? "with memory" : "without memory");
        gate.open();
        queue.take(static_cast<size_t>(added));
    }
}

TEST(AllocationReuse, BatchesOfDeferredFunctions) {
    OWN_PROCESS({{"GPUSTREAM_BACKEND", "host"}});
    Stream stream = make_stream(0);
    for (const bool first : {true, false}) {
        std::atomic<int> ran{0}, told{0};
        if (!first) fail_allocation(1, true);
        int deferred = 0;
        for (int i = 0; i < kTimes; ++i) deferred += gs_stream_defer(stream, add_one, &ran) == GS_OK;
        stop_failing();
        EXPECT_EQ(deferred, kTimes) << (first ? "with memory" : "without memory");
        // Its function runs after the batch has been given back.
        ASSERT_OK(gs_stream_notify(stream, [](void *arg, gs_status_t) { add_one(arg); }, &told));
        while (told == 0) sched_yield();
        EXPECT_EQ(ran, deferred);
    }
}

// The words of a graph's random state are in pinned memory, which is never freed.
TEST(AllocationReuse, WordsOfRandomNumbers) {
    OWN_PROCESS({{"GPUSTREAM_BACKEND", "host"}});
    Stream stream = make_stream(0);
    const auto reserve = [&](uint64_t failing, gs_graph_t *out_graph, gs_philox_t *out) {
        out->struct_size = sizeof *out;
        EXPECT_OK(gs_stream_begin_capture(stream, GS_CAPTURE_THREAD_LOCAL));
        fail_allocation(failing, false);
        const gs_status_t status = gs_rng_reserve(stream, 4, out);
        stop_failing();
        if (status == GS_OK)
            EXPECT_OK(gs_stream_end_capture(stream, out_graph));
        else
            EXPECT_OK(gs_stream_abort_capture(stream));
        return status;
    };
    gs_graph_t graphs[2] = {};
    gs_philox_t first{}, next{};
    ASSERT_OK(reserve(0, &graphs[0], &first));
    uint64_t failed = 0;
    while (reserve(failed + 1, &graphs[1], &next) == GS_ERROR_OUT_OF_MEMORY) ++failed;
    EXPECT_GE(failed, 2u) << "the list and the words";
    EXPECT_EQ(next.seed_address - first.seed_address, 64u) << "none is lost in between";
    for (gs_graph_t graph : graphs) EXPECT_OK(gs_graph_destroy(graph));
}

// The report at exit goes without them, which is said once.
TEST(AllocationReuse, ObjectsWhoseMakersAreNotRemembered) {
    OWN_PROCESS({{"GPUSTREAM_BACKEND", "host"}, {"GPUSTREAM_LEAKS", "1"}});
    make_event().reset();
    std::atomic<int> warnings{0};
    const auto warn = [](void *arg, int32_t, const char *text) {
        if (std::strstr(text, "no memory to remember who made")) add_one(arg);
    };
    ASSERT_OK(gs_set_log_callback(warn, &warnings));
    for (int i = 1; i <= 3; ++i) {
        gs_event_t event = nullptr;
        fail_allocation(1, true);
        const gs_status_t made = gs_event_create(0, &event);
        stop_failing();
        EXPECT_OK(made);
        EXPECT_OK(gs_event_destroy(event));
        EXPECT_EQ(warnings, 1) << i;
    }
    EXPECT_OK(gs_set_log_callback(nullptr, nullptr));
}

} // namespace gs::test
