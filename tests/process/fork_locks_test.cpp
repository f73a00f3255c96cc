// SPDX-License-Identifier: Apache-2.0
// A child that may use the library finds every lock free that threads of its parent may have held: those of calls that need no
// backend.
#include <gtest/gtest.h>
#include <pthread.h>
#include <unistd.h>

#include "gpustream.h"
#include "process/fork.hpp"
#include "support/child_process.hpp"

namespace gs::test {
namespace {

// Calls that need no backend, and take locks of what watches them.
void have_noted() { // GPUSTREAM_LEAKS: who made it
    gs_event_t event = nullptr;
    CHILD_REQUIRE(gs_event_create(0, &event) == GS_OK && gs_event_destroy(event) == GS_OK);
}

void have_counted(gs_queue_t queue) { // GPUSTREAM_SYNCS: a call that may block
    gs_completion_t entry{};
    size_t count = 0;
    CHILD_REQUIRE(gs_queue_wait(queue, &entry, 1, 0, &count) == GS_ERROR_TIMEOUT);
}

void replace_report_function() { CHILD_REQUIRE(gs_set_check_callback(nullptr, nullptr) == GS_OK); }

GS_CHILD(fork_while_others_are_watched) {
    gs_queue_t queue = nullptr;
    CHILD_REQUIRE(gs_queue_create(1, 0, &queue) == GS_OK);
    for (int i = 0; i < 512; ++i)
        std::thread([&] { have_counted(queue); }).join(); // the longer to look for one's place
    Busy busy;
    const auto repeat = [&](auto &&call) {
        busy.threads.emplace_back([&busy, call] {
            while (!busy.stop) call();
        });
    };
    if (arguments[0] == "births") repeat(have_noted);
    if (arguments[0] == "syncs") repeat([queue] { have_counted(queue); });
    if (arguments[0] == "reports") repeat(replace_report_function);
    for (int i = std::atoi(arguments[1].c_str()); i > 0; --i) {
        const Outcome outcome = run_forked([queue] {
            have_noted();
            have_counted(queue);
            replace_report_function();
            return 0;
        });
        if (!outcome.clean()) std::fprintf(stderr, "fork %d: %s\n", i, describe(outcome).c_str());
        CHILD_REQUIRE(outcome.clean());
    }
    return 0;
}

// The first calls of a process, which prepare it for forks.
GS_CHILD(fork_while_others_only_count) {
    Busy busy;
    busy.threads.emplace_back([&busy] {
        while (!busy.stop) {
            gs_stats_t stats{};
            stats.struct_size = sizeof stats;
            CHILD_REQUIRE(gs_get_stats(&stats) == GS_OK && gs_reset_stats() == GS_OK);
            CHILD_REQUIRE(gs_set_log_callback(nullptr, nullptr) == GS_OK);
        }
    });
    for (int i = std::atoi(arguments[0].c_str()); i > 0; --i) {
        const Outcome outcome = run_forked([] {
            CHILD_REQUIRE(gs_reset_stats() == GS_OK && gs_set_log_callback(nullptr, nullptr) == GS_OK);
            return 0;
        });
        if (!outcome.clean()) std::fprintf(stderr, "fork %d: %s\n", i, describe(outcome).c_str());
        CHILD_REQUIRE(outcome.clean());
    }
    return 0;
}

// A start that fails, again and again: the child is either healthy or gets a status that it is not, and never hangs.
GS_CHILD(fork_beside_failing_init) {
    // Of the program, and older than those of the library, so it runs after them: the fork itself comes later.
    CHILD_REQUIRE(pthread_atfork([] { usleep(200); }, nullptr, nullptr) == 0);
    Busy busy;
    busy.threads.emplace_back([&busy] {
        while (!busy.stop) CHILD_REQUIRE(gs_init() == GS_ERROR_UNAVAILABLE);
    });
    for (int i = std::atoi(arguments[0].c_str()); i > 0; --i) {
        const Outcome outcome = run_forked([] {
            int32_t status = -1;
            CHILD_REQUIRE(gs_fork_status(&status) == GS_OK);
            CHILD_REQUIRE(gs_init() == (status == GS_FORK_CLEAN ? GS_ERROR_UNAVAILABLE : GS_ERROR_BAD_FORK));
            return 0;
        });
        if (!outcome.clean()) std::fprintf(stderr, "fork %d: %s\n", i, describe(outcome).c_str());
        CHILD_REQUIRE(outcome.clean());
    }
    return 0;
}

// The sanitizers' allocators lock nothing around a fork: a child forked while another thread allocates may hang there.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
int forks() { return gs::test::forks("GS_FORKS", 200, 2000); }

TEST(ForkLocks, WhileOthersAreWatched) {
    for (const char *what : {"births", "syncs", "reports"}) {
        const Outcome outcome = run_self_as("fork_while_others_are_watched", {what, std::to_string(forks())},
                                            {{"GPUSTREAM_LEAKS", "1"}, {"GPUSTREAM_SYNCS", "1"}});
        EXPECT_TRUE(outcome.clean()) << what << ": " << describe(outcome);
    }
}
TEST(ForkLocks, WhileOthersOnlyCount) {
    const Outcome outcome = run_self_as("fork_while_others_only_count", {std::to_string(forks())});
    EXPECT_TRUE(outcome.clean()) << describe(outcome);
}
TEST(ForkLocks, BesideFailingInit) {
    const Outcome outcome = run_self_as("fork_beside_failing_init", {std::to_string(forks())},
                                        {{"GPUSTREAM_BACKEND", "cuda"}, {"GPUSTREAM_LIBCUDA", "/no/such/libcuda.so"}});
    EXPECT_TRUE(outcome.clean()) << describe(outcome);
}
#endif

} // namespace
} // namespace gs::test
