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

// A process that trims, and asks about a partition by NULL, has no device yet: its child may use one.
GS_CHILD(fork_while_others_trim) {
    gs_partition_summary_t summary{};
    summary.struct_size = sizeof summary;
    const auto have_trimmed = [&] {
        CHILD_REQUIRE(gs_trim() == GS_OK && gs_partition_info(nullptr, &summary) == GS_ERROR_INVALID_HANDLE);
    };
    Busy busy;
    for (int i = 0; i < 2; ++i)
        busy.threads.emplace_back([&] {
            while (!busy.stop) have_trimmed();
        });
    for (int i = std::atoi(arguments[0].c_str()); i > 0; --i) {
        const Outcome outcome = run_forked([&] {
            gs_stream_t stream = nullptr;
            have_trimmed();
            CHILD_REQUIRE(gs_stream_create(0, 0, 0, &stream) == GS_OK && gs_stream_destroy(stream) == GS_OK);
            return 0;
        });
        if (!outcome.clean()) std::fprintf(stderr, "fork %d: %s\n", i, describe(outcome).c_str());
        CHILD_REQUIRE(outcome.clean());
    }
    return 0;
}

// A start that fails, again and again: the child is healthy or gets a status that says otherwise, and always ends.
GS_CHILD(fork_beside_failing_init) {
    // Of the program, and older than those of the library, so it runs after them: the fork itself comes later.
    CHILD_REQUIRE(pthread_atfork([] { usleep(200); }, nullptr, nullptr) == 0);
    CHILD_REQUIRE(gs_init() == GS_ERROR_UNAVAILABLE);
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

// The library's first call comes while the fork, which knows none of its handlers, is already in progress.
std::atomic<bool> g_forks{false}, g_fails{false};

GS_CHILD(fork_before_the_first_call) {
    const auto await_calls = [] {
        g_forks = true;
        while (!g_fails) usleep(50);
    };
    CHILD_REQUIRE(pthread_atfork(await_calls, nullptr, nullptr) == 0);
    Busy busy;
    busy.threads.emplace_back([&busy] {
        while (!g_forks) usleep(50);
        for (; !busy.stop; g_fails = true) CHILD_REQUIRE(gs_init() == GS_ERROR_UNAVAILABLE);
    });
    const Outcome outcome = run_forked([] {
        const gs_status_t status = gs_init();
        CHILD_REQUIRE(status == GS_ERROR_UNAVAILABLE || status == GS_ERROR_BAD_FORK);
        int32_t fork_status = -1;
        CHILD_REQUIRE(gs_fork_status(&fork_status) == GS_OK);
        CHILD_REQUIRE((fork_status == GS_FORK_CLEAN) == (status == GS_ERROR_UNAVAILABLE));
        std::puts(gs_status_name(status));
        return 0;
    });
    CHILD_REQUIRE(outcome.clean());
    std::fputs(outcome.output.c_str(), stdout);
    return 0;
}

// The same of calls that need no device: whatever lock the other threads had, the child's calls and its own forks come to an end.
constexpr int kCallsWithoutDevice = 6;

gs_status_t call_without_device(int which) {
    if (which == 0) return gs_set_log_callback(nullptr, nullptr);
    if (which == 1) return gs_reset_stats();
    if (which == 2) return gs_set_check_callback(nullptr, nullptr);
    if (which == 3) {
        uint64_t range = 0;
        const gs_status_t status = gs_range_start("range", &range);
        return status == GS_OK ? gs_range_end(range) : status;
    }
    if (which == 4) {
        gs_queue_t queue = nullptr;
        const gs_status_t status = gs_queue_create(1, 0, &queue);
        return status == GS_OK ? gs_queue_destroy(queue) : status;
    }
    gs_event_t events[40] = {}; // more than a thread's own lists hold
    gs_status_t status = GS_OK;
    for (gs_event_t &event : events)
        if (status == GS_OK) status = gs_event_create(0, &event);
    for (gs_event_t event : events)
        if (status == GS_OK) status = gs_event_destroy(event);
    return status;
}

int make_calls_without_device(int first) {
    for (int i = 0; i < kCallsWithoutDevice; ++i) {
        const gs_status_t status = call_without_device((first + i) % kCallsWithoutDevice);
        CHILD_REQUIRE(status == GS_OK || status == GS_ERROR_BAD_FORK);
    }
    return 0;
}

GS_CHILD(fork_before_the_first_call_without_device) {
    const auto await_calls = [] {
        if (g_forks.exchange(true)) return;
        while (!g_fails) usleep(50);
    };
    CHILD_REQUIRE(pthread_atfork(await_calls, nullptr, nullptr) == 0);
    Busy busy;
    for (int which = 0; which < kCallsWithoutDevice; ++which)
        busy.threads.emplace_back([&busy, which] {
            while (!g_forks) usleep(50);
            for (; !busy.stop; g_fails = true) CHILD_REQUIRE(call_without_device(which) == GS_OK);
        });
    const int first = std::atoi(arguments[0].c_str());
    const Outcome outcome = run_forked([first] {
        const Outcome again = run_forked([first] { return make_calls_without_device(first); });
        CHILD_REQUIRE(again.clean());
        return make_calls_without_device(first);
    });
    if (!outcome.clean()) std::fprintf(stderr, "%s\n", describe(outcome).c_str());
    CHILD_REQUIRE(outcome.clean());
    return 0;
}

// That first call leaves the thread's data alone, so the library has no key of thread-specific data yet.
GS_CHILD(fork_before_the_first_key) {
    const auto await_calls = [] {
        g_forks = true;
        while (!g_fails) usleep(50);
    };
    CHILD_REQUIRE(pthread_atfork(await_calls, nullptr, nullptr) == 0);
    constexpr pthread_key_t kFirst = 0; // of another library, if there is one
    const void *const theirs = pthread_getspecific(kFirst);
    Busy busy;
    busy.threads.emplace_back([&busy] {
        while (!g_forks) usleep(50);
        for (; !busy.stop; g_fails = true) (void)gs_set_log_callback(nullptr, nullptr);
    });
    const Outcome outcome = run_forked([=] {
        CHILD_REQUIRE(gs_reset_stats() == GS_OK);
        CHILD_REQUIRE(pthread_getspecific(kFirst) == theirs);
        return 0;
    });
    if (!outcome.clean()) std::fprintf(stderr, "%s\n", describe(outcome).c_str());
    CHILD_REQUIRE(outcome.clean());
    return 0;
}

// The sanitizers' allocators lock nothing around a fork: a child forked while another thread allocates may hang there.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
const Variables kNoDriver{{"GPUSTREAM_BACKEND", "cuda"}, {"GPUSTREAM_LIBCUDA", "/no/such/libcuda.so"}};
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
TEST(ForkLocks, WhileOthersTrim) {
    const Outcome outcome = run_self_as("fork_while_others_trim", {std::to_string(forks())});
    EXPECT_TRUE(outcome.clean()) << describe(outcome);
}
TEST(ForkLocks, BesideFailingInit) {
    const Outcome outcome = run_self_as("fork_beside_failing_init", {std::to_string(forks())}, kNoDriver);
    EXPECT_TRUE(outcome.clean()) << describe(outcome);
}
// Of many children some find the lock free.
TEST(ForkLocks, BeforeTheFirstCall) {
    int refused = 0;
    const int count = gs::test::forks("GS_FORKS", 40, 400);
    for (int i = 0; i < count; ++i) {
        const Outcome outcome = run_self_as("fork_before_the_first_call", {}, kNoDriver);
        ASSERT_TRUE(outcome.clean()) << describe(outcome);
        refused += outcome.output == "GS_ERROR_BAD_FORK\n" ? 1 : 0;
    }
    EXPECT_GT(refused, 0);
    for (int i = 0; i < count; ++i) {
        const Outcome outcome =
            run_self_as("fork_before_the_first_call_without_device", {std::to_string(i)}, kNoDriver);
        ASSERT_TRUE(outcome.clean()) << describe(outcome);
    }
    const Outcome outcome = run_self_as("fork_before_the_first_key", {}, kNoDriver);
    EXPECT_TRUE(outcome.clean()) << describe(outcome);
}
#endif

} // namespace
} // namespace gs::test
