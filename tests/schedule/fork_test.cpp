// SPDX-License-Identifier: Apache-2.0
// A fork at any moment of another thread's calls: the child finds every lock free that its permitted calls take. In the
// child no other thread exists, so the scheduler ends it where it would wait.
#include <sys/wait.h>
#include <unistd.h>

#include "schedule/scenario.hpp"
#include "schedule/scheduler/report.hpp"
#include "schedule/scheduler/scheduler.hpp"
#include "support/seeded_bug.hpp"

namespace gs::schedule {
namespace {

using testing::SeededBug;

gs_event_t g_event;

// What a forked child of a process with a running backend may call.
void call_in_child() {
    gs_stats_t stats{};
    stats.struct_size = sizeof stats;
    gs_error_info_t error{};
    error.struct_size = sizeof error;
    const bool ok = gs_get_stats(&stats) == GS_OK && gs_reset_stats() == GS_OK && gs_event_destroy(g_event) == GS_OK &&
                    gs_last_error(&error) == GS_OK && gs_trim() == GS_ERROR_BAD_FORK;
    _exit(ok ? 0 : 1);
}

// Before a backend has started, a child may use the library as if there had been no fork.
void call_in_fresh_child() {
    gs_event_t event = nullptr;
    gs_stats_t stats{};
    stats.struct_size = sizeof stats;
    const bool ok = gs_get_stats(&stats) == GS_OK && gs_event_create(0, &event) == GS_OK &&
                    gs_event_destroy(event) == GS_OK && gs_event_destroy(g_event) == GS_OK;
    _exit(ok ? 0 : 1);
}

void fork_and_judge(void (*in_child)()) {
    const pid_t child = fork();
    require(child >= 0, "no child can be forked");
    if (child == 0) in_child();
    int status = 0;
    require(waitpid(child, &status, 0) == child, "the child is lost");
    require(!WIFEXITED(status) || WEXITSTATUS(status) != kWouldBlock, "a child would wait for a lock of its parent");
    require(WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == kWouldBlock),
            "a permitted call fails in a forked child");
}

Scenario busy_process() {
    return {"fork against statistics and events",
            [] {
                model::begin_run();
                g_event = new_event();
            },
            {[] { fork_and_judge(call_in_child); },
             [] {
                 REQUIRE_OK(gs_reset_stats());
                 REQUIRE_OK(gs_event_destroy(new_event()));
                 REQUIRE_OK(gs_trim());
             }},
            [] {
                REQUIRE_OK(gs_event_destroy(g_event));
                clean_up();
            }};
}

// More events than a thread keeps for itself, so that the lists that threads share are used too.
Scenario before_the_start() {
    return {"fork against events before a backend has started",
            [] { g_event = new_event(); },
            {[] { fork_and_judge(call_in_fresh_child); },
             [] {
                 gs_event_t events[300];
                 for (gs_event_t &event : events) event = new_event();
                 for (const gs_event_t event : events) REQUIRE_OK(gs_event_destroy(event));
                 REQUIRE_OK(gs_reset_stats());
             }},
            [] { REQUIRE_OK(gs_event_destroy(g_event)); }};
}

// The scheduler's fork handler must come before the library's.
class ForkFresh : public ::testing::Test {
protected:
    static void SetUpTestSuite() { take_over(); }
};

bool backend_runs() {
    int32_t runs = 0;
    return gs_is_initialized(&runs) != GS_OK || runs != 0;
}

using ForkBusy = OnModel;
constexpr Depth kShort{.bound = 1, .most = 2'000, .random = 30, .locks = true};

} // namespace

TEST_F(ForkBusy, OnlyShortLocksAreNeeded) { expect_clean(busy_process(), kShort); }
TEST_F(ForkBusy, Fixture_ForkWithoutLocks) {
    const Seeded bug(SeededBug::ForkWithoutLocks);
    expect_broken(busy_process(), kShort);
}

// Each in a process of its own: nothing may have started a backend.
TEST_F(ForkFresh, AllLocksAreFree) {
    if (backend_runs()) GTEST_SKIP() << "a backend runs in this process: run this test alone";
    expect_clean(before_the_start(), kShort);
}
TEST_F(ForkFresh, Fixture_ForkWithoutLocks) {
    if (backend_runs()) GTEST_SKIP() << "a backend runs in this process: run this test alone";
    const Seeded bug(SeededBug::ForkWithoutLocks);
    expect_broken(before_the_start(), kShort);
}

} // namespace gs::schedule
