// SPDX-License-Identifier: Apache-2.0
// A host function reads each signal that happened before it, although another function reads or another thread signals at the
// same time.
#include "schedule/scenario.hpp"
#include "schedule/scheduler/scheduler.hpp"

namespace gs::schedule {
namespace {

using Timelines = OnModel;

gs_stream_t g_stream;
gs_timeline_t g_timeline;
uint64_t g_values[2];

void look(void *opaque) { REQUIRE_OK(gs_timeline_value(g_timeline, static_cast<uint64_t *>(opaque))); }
void run_functions() { model::run_host_functions(); }
void signal(uint64_t value) { REQUIRE_OK(gs_stream_signal_timeline(g_stream, g_timeline, value)); }

// One signal has happened, and so many host functions come after it.
void make(int functions) {
    model::begin_run();
    g_stream = new_stream();
    REQUIRE_OK(gs_timeline_create(0, 0, 0, &g_timeline));
    signal(1);
    model::finish_all();
    for (int i = 0; i < functions; ++i) {
        g_values[i] = 0;
        REQUIRE_OK(gs_stream_launch_host(g_stream, look, &g_values[i]));
    }
}

void judge(int functions) {
    run_functions();
    for (int i = 0; i < functions; ++i)
        require(g_values[i] == 1, "a host function sees " + std::to_string(g_values[i]) + " behind a signal of 1");
    model::finish_all();
    REQUIRE_OK(gs_timeline_destroy(g_timeline));
    REQUIRE_OK(gs_stream_destroy(g_stream));
    settle();
    clean_up();
}

Scenario two_functions() {
    return {"two host functions read a value at the same time",
            [] { make(2); },
            {run_functions, run_functions},
            [] { judge(2); }};
}

Scenario function_and_signal() {
    return {"a host function reads a value while a signal is submitted",
            [] { make(1); },
            {run_functions, [] { signal(2); }},
            [] { judge(1); }};
}

constexpr Depth kShort{.bound = 2, .most = 4'000};

} // namespace

TEST_F(Timelines, TwoHostFunctions) { expect_clean(two_functions(), kShort); }
TEST_F(Timelines, AHostFunctionAndASignal) { expect_clean(function_and_signal(), kShort); }

} // namespace gs::schedule
