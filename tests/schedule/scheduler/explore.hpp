// SPDX-License-Identifier: Apache-2.0
// Runs a scenario under many schedules and stops at the first one that breaks a rule.
//
//   GPUSTREAM_SCHEDULE=<schedule>     runs only this schedule, as a failure has printed it
//   GPUSTREAM_SCHEDULE_SEED=<number>  the first seed of the random schedules
//   GPUSTREAM_SCHEDULE_TRACE=1        prints every point where a thread was chosen
//   GPUSTREAM_TEST_FULL=1             one more preemption, and a hundred times as many random schedules
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace gs::schedule {

struct Scenario {
    std::string name;
    std::function<void()> prepare;              // before each schedule, on its own
    std::vector<std::function<void()>> threads; // at the same time
    std::function<void()> judge{};              // afterwards
    std::function<void()> clean_up{};           // after that
};

struct Depth {
    int bound = 2;          // preemptions of the systematic search
    uint64_t most = 30'000; // schedules of the systematic search
    uint64_t random = 300;  // random schedules after it
    bool buffered = false;  // stores are buffered as on x86
    bool locks = false;     // every lock and unlock is a point
    bool exact = false;     // the long form does not go deeper
    // Instead of all that: every run that the memory of C++20 allows, at most `most`. Those that another run makes
    // unnecessary are cut short and not judged.
    bool weak = false;
};
inline constexpr Depth kWeak{.most = UINT64_MAX / 2, .weak = true};

struct Outcome {
    uint64_t schedules = 0;
    uint64_t cut_short = 0;
    uint64_t diverged = 0; // runs that did not repeat the decisions they should
    int bound = 0;         // of the last systematic search
    bool complete = false; // it ended before `most`
    bool failed = false;
    bool repeated = false; // the failing schedule failed again
    std::string text;      // what broke
    std::string schedule;
};

// A rule of the scenario. The first one that is broken fails the run.
void require(bool holds, const std::string &rule);

// For `prepare`, under weak memory: this must be accessed without races.
void watch_memory(const void *begin, size_t bytes, const char *name);
template <typename T>
void watch(const T &object, const char *name) {
    watch_memory(&object, sizeof object, name);
}

Outcome explore(const Scenario &scenario, Depth depth);

// For a test: no schedule breaks a rule; some schedule does. Both print how many schedules were run.
void expect_clean(const Scenario &scenario, Depth depth = {});
void expect_broken(const Scenario &scenario, Depth depth = {});

} // namespace gs::schedule
