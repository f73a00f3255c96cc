// SPDX-License-Identifier: Apache-2.0
// A host function runs exactly once or never, and its launch says which, also when the driver fails the launch and runs
// the function all the same. Its record serves the next function only when no number of it is left.
#include "schedule/scenario.hpp"
#include "support/seeded_bug.hpp"

namespace gs::schedule {
namespace {

using testing::SeededBug;
using HostCall = OnModel;

gs_stream_t g_stream;
int g_ran[2];
gs_status_t g_status[2];

void count(void *opaque) { ++*static_cast<int *>(opaque); }

void launch(int number) { g_status[number] = gs_stream_launch_host(g_stream, count, &g_ran[number]); }

void judge() {
    model::run_host_functions();
    for (int i = 0; i < 2; ++i) {
        const int expected = g_status[i] == GS_OK ? 1 : 0;
        require(g_ran[i] == expected, "function " + std::to_string(i) + " ran " + std::to_string(g_ran[i]) +
                                          " times, its launch returned " + gs_status_name(g_status[i]));
    }
    REQUIRE_OK(gs_stream_destroy(g_stream));
    clean_up();
}

// The driver runs what it has while the functions are launched, one after the other or by two threads.
Scenario one_thread(Launch how) {
    return {"two launches against the driver's thread",
            [how] {
                model::begin_run();
                g_stream = new_stream();
                g_ran[0] = g_ran[1] = 0;
                model::set_launch(how);
            },
            {[] {
                 launch(0);
                 model::set_launch(Launch::Accepts);
                 launch(1);
             },
             [] { model::run_host_functions(); }},
            judge};
}

Scenario two_threads(Launch how) {
    return {"launches of two threads against the driver's thread",
            [how] {
                model::begin_run();
                g_stream = new_stream();
                g_ran[0] = g_ran[1] = 0;
                model::set_launch(how);
            },
            {[] { launch(0); }, [] { launch(1); }, [] { model::run_host_functions(); }},
            judge};
}

} // namespace

TEST_F(HostCall, Accepted) { expect_clean(one_thread(Launch::Accepts), {.bound = 3}); }
TEST_F(HostCall, Refused) { expect_clean(one_thread(Launch::Fails), {.bound = 3}); }
TEST_F(HostCall, RefusedButDone) { expect_clean(one_thread(Launch::FailsButAccepts), {.bound = 3}); }
TEST_F(HostCall, TwoThreads) { expect_clean(two_threads(Launch::FailsButAccepts)); }

TEST_F(HostCall, Fixture_HostCallEndsTwice) {
    const Seeded bug(SeededBug::HostCallEndsTwice);
    expect_broken(one_thread(Launch::FailsButAccepts));
}

} // namespace gs::schedule
