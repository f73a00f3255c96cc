// SPDX-License-Identifier: Apache-2.0
// GPUSTREAM_LEAKS: what is live when a process exits. Each child uses the library for the first time.
#include <gmock/gmock.h>
#include <sys/wait.h>

#include <cstdlib>
#include <thread>

#include "dumps/dumped.hpp"
#include "support/child_process.hpp"
#include "support/nodes.hpp"

namespace gs::check::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

gs::test::Outcome leaking(int (*child)(), const char *leaks = "1") {
    return gs::test::run_forked([&]() -> int {
        setenv("GPUSTREAM_LEAKS", leaks, 1);
        std::exit(child());
    });
}

// One of each kind, made by a function of that name, which the call stacks show.
[[gnu::noinline]] int make_one_of_each() {
    gs_stream_t stream = nullptr;
    gs_event_t event = nullptr;
    gs_graph_t graph = nullptr;
    gs_graph_exec_t exec = nullptr;
    gs_queue_t queue = nullptr;
    gs_timeline_t timeline = nullptr;
    gs_pool_t pool = nullptr;
    gs_node_t node = 0;
    const bool made = gs_stream_create(0, 0, 0, &stream) == GS_OK && gs_event_create(0, &event) == GS_OK &&
                      gs_graph_create(0, 0, &graph) == GS_OK &&
                      gs_graph_add_node(graph, nullptr, 0, gs::test::empty_node(), &node) == GS_OK &&
                      gs_graph_instantiate(graph, 0, &exec) == GS_OK && gs_queue_create(4, 0, &queue) == GS_OK &&
                      gs_timeline_create(0, 0, 0, &timeline) == GS_OK && gs_pool_create(0, nullptr, &pool) == GS_OK &&
                      gs_stream_set_name(stream, "forgotten") == GS_OK;
    return made ? 0 : 1;
}

int leaves_objects() {
    int code = 1;
    std::thread([&] { code = make_one_of_each(); }).join();
    return code;
}

TEST(Leaks, ShowsWhatIsLeftWithNamesAndCreators) {
    const auto outcome = leaking(leaves_objects);
    EXPECT_TRUE(outcome.clean()) << gs::test::describe(outcome);
    EXPECT_THAT(outcome.output, HasSubstr("gpustream: live at exit: 7 objects\n"));
    for (const char *kind : {"stream", "event", "graph", "executable graph", "queue", "timeline", "pool"})
        EXPECT_THAT(outcome.output, HasSubstr(std::string("\n  ") + kind + " 0x")) << kind;
    EXPECT_THAT(outcome.output, HasSubstr("(\"forgotten\"), made by thread "));
    EXPECT_THAT(outcome.output, HasSubstr("gs_stream_create"));
    EXPECT_THAT(outcome.output, HasSubstr("gs_pool_create"));
}

TEST(Leaks, SaysNothingUnlessAsked) {
    for (const char *value : {"0", ""}) EXPECT_EQ(leaking(leaves_objects, value).output, "");
    EXPECT_THAT(leaking(leaves_objects, "yes").output, HasSubstr("GPUSTREAM_LEAKS='yes' is not a number"));
}

// What the library makes for itself, what has ended, and what was given back with threads still running.
int leaves_nothing() {
    gs_stream_t current = nullptr, standard = nullptr;
    if (gs_current_stream(0, &current) != GS_OK || gs_default_stream(0, &standard) != GS_OK) return 1;
    {
        const Stream stream = make_stream(0), other = make_stream(0);
        const Event event = make_event();
        if (gs_event_record(event, stream) != GS_OK || gs_stream_wait_event(other, event) != GS_OK) return 1;
        if (gs_stream_wait_stream(stream, other) != GS_OK) return 1;
        void *memory = nullptr;
        if (gs_malloc_async(64, stream, &memory) != GS_OK || gs_free_async(memory, stream) != GS_OK) return 1;
        if (gs_stream_synchronize(stream) != GS_OK) return 1;
    }
    return 0;
}

TEST(Leaks, KnowsWhatHasEnded) {
    const auto outcome = leaking(leaves_nothing);
    EXPECT_TRUE(outcome.clean()) << gs::test::describe(outcome);
    EXPECT_EQ(outcome.output, "");
}

int leaves_many() {
    for (int i = 0; i < 120; ++i) {
        gs_event_t event = nullptr;
        if (gs_event_create(0, &event) != GS_OK) return 1;
    }
    return 0;
}

TEST(Leaks, ShowsTheFirstHundred) {
    const auto outcome = leaking(leaves_many);
    EXPECT_THAT(outcome.output, HasSubstr("live at exit: 120 objects\n"));
    EXPECT_THAT(outcome.output, HasSubstr("  and 20 more objects\n"));
}

// A forked child has its parent's function at exit, and nothing to say.
int leaves_an_event_and_forks() {
    gs_event_t event = nullptr;
    if (gs_event_create(0, &event) != GS_OK) return 1;
    const pid_t child = fork();
    if (child == 0) std::exit(0);
    int status = -1;
    return waitpid(child, &status, 0) == child && status == 0 ? 0 : 1;
}

TEST(Leaks, AreThoseOfTheParent) {
    const auto outcome = leaking(leaves_an_event_and_forks);
    EXPECT_TRUE(outcome.clean()) << gs::test::describe(outcome);
    const size_t first = outcome.output.find("live at exit: 1 object\n");
    EXPECT_NE(first, std::string::npos) << outcome.output;
    EXPECT_EQ(outcome.output.find("live at exit", first + 1), std::string::npos) << outcome.output;
}

// Objects come and go on other threads until the process has gone.
int exits_beside_threads() {
    for (int i = 0; i < 3; ++i)
        std::thread([] {
            for (;;) {
                gs_event_t event = nullptr;
                if (gs_event_create(0, &event) == GS_OK) (void)gs_event_destroy(event);
            }
        }).detach();
    gs_stream_t stream = nullptr;
    return gs_stream_create(0, 0, 0, &stream) == GS_OK ? 0 : 1;
}

TEST(Leaks, BesideRunningThreads) {
    for (int round = 0; round < 10; ++round) {
        const auto outcome = leaking(exits_beside_threads);
        ASSERT_TRUE(outcome.clean()) << gs::test::describe(outcome);
        ASSERT_THAT(outcome.output, HasSubstr("  stream 0x"));
    }
}

} // namespace
} // namespace gs::check::test
