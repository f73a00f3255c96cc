// SPDX-License-Identifier: Apache-2.0
// The host engine itself, with its workers as threads of the schedule: work of two streams keeps the order that events ask
// for, and a thread that waits is woken. A wake-up that is lost leaves no thread that can go on, which ends the process.
#include <cstdlib>

#include "schedule/scenario.hpp"
#include "schedule/scheduler/scheduler.hpp"
#include "support/seeded_bug.hpp"

namespace gs::schedule {
namespace {

using testing::SeededBug;

class Engine : public ::testing::Test {
protected:
    static void SetUpTestSuite() {
        take_over();
        int32_t runs = 0;
        g_usable = gs_is_initialized(&runs) == GS_OK && runs == 0;
        if (!g_usable) return;
        setenv("GPUSTREAM_HOST_WORKERS", "1", 1); // with another worker a lost call could still be taken
        ASSERT_EQ(gs_init(), GS_OK);
        REQUIRE_OK(gs_event_destroy(new_event()));
        treat_slots_alike();
    }
    void SetUp() override {
        if (!g_usable) GTEST_SKIP() << "another test has put the model in place of the engine: run this test alone";
    }
    static bool g_usable;
};
bool Engine::g_usable = false;

gs_stream_t g_first, g_second;
gs_event_t g_event;
uint64_t g_clock, g_recorded, g_waited; // when the calls returned and began
uint64_t g_ran_first, g_ran_second;

void run_first(void *) { g_ran_first = ++g_clock; }
void run_second(void *) { g_ran_second = ++g_clock; }

void make() {
    g_clock = g_recorded = g_waited = g_ran_first = g_ran_second = 0;
    g_first = new_stream();
    g_second = new_stream();
    g_event = new_event();
}

void end_run() {
    REQUIRE_OK(gs_stream_synchronize(g_first));
    REQUIRE_OK(gs_stream_synchronize(g_second));
    require(g_ran_first != 0 && g_ran_second != 0, "a host function did not run before its stream was idle");
    REQUIRE_OK(gs_event_destroy(g_event));
    REQUIRE_OK(gs_stream_destroy(g_first));
    REQUIRE_OK(gs_stream_destroy(g_second));
    for (int i = 0; i < 3; ++i) REQUIRE_OK(gs_trim());
}

Scenario order_across_streams() {
    return {"a record and a wait in two streams of the engine",
            make,
            {[] {
                 REQUIRE_OK(gs_stream_launch_host(g_first, run_first, nullptr));
                 REQUIRE_OK(gs_event_record(g_event, g_first));
                 g_recorded = ++g_clock;
             },
             [] {
                 g_waited = ++g_clock;
                 REQUIRE_OK(gs_stream_wait_event(g_second, g_event));
                 REQUIRE_OK(gs_stream_launch_host(g_second, run_second, nullptr));
             }},
            [] {
                end_run();
                require(g_recorded > g_waited || g_ran_first < g_ran_second, "work ran before the event it waits for");
            }};
}

Scenario two_that_wait() {
    return {"two threads that wait for the engine",
            make,
            {[] {
                 REQUIRE_OK(gs_stream_launch_host(g_first, run_first, nullptr));
                 REQUIRE_OK(gs_stream_synchronize(g_first));
                 require(g_ran_first != 0, "a synchronize returned before the stream's work was done");
             },
             [] {
                 REQUIRE_OK(gs_stream_launch_host(g_second, run_second, nullptr));
                 REQUIRE_OK(gs_event_record(g_event, g_second));
                 REQUIRE_OK(gs_event_synchronize(g_event));
                 require(g_ran_second != 0, "a synchronize returned before the event's work was done");
             }},
            end_run};
}

constexpr Depth kShort{.bound = 1, .most = 1'500, .random = 300};

} // namespace

TEST_F(Engine, OrderAcrossStreams) { expect_clean(order_across_streams(), kShort); }
TEST_F(Engine, TwoThatWait) { expect_clean(two_that_wait(), kShort); }

// A worker that looks for calls after it has released the lock sleeps through one.
TEST_F(Engine, Fixture_LateLookForCalls) {
    ::testing::FLAGS_gtest_death_test_style = "threadsafe";
    EXPECT_EXIT(
        {
            const Seeded bug(SeededBug::LateLookForCalls);
            expect_broken(two_that_wait());
        },
        ::testing::ExitedWithCode(1), "schedule number [0-9]+: deadlock");
}

} // namespace gs::schedule
