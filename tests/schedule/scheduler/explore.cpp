// SPDX-License-Identifier: Apache-2.0
#include "schedule/scheduler/explore.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "schedule/scheduler/memory.hpp"
#include "schedule/scheduler/report.hpp"
#include "schedule/scheduler/scheduler.hpp"
#include "schedule/scheduler/sharing.hpp"
#include "schedule/scheduler/weak.hpp"
#include "support/long_form.hpp"

namespace gs::schedule {
namespace {

constexpr int kWarmUps = 3; // what the library makes once and keeps, it has made then
constexpr int kMostRestarts = 200;

std::string g_broken; // the rule that this run broke first
Search *g_search = nullptr;
Memory g_memory([](int count) { return static_cast<int>(g_search->pick(static_cast<size_t>(count))); });

uint64_t first_seed() {
    const char *value = std::getenv("GPUSTREAM_SCHEDULE_SEED");
    return value ? std::strtoull(value, nullptr, 10) : 1;
}

class Exploration {
public:
    Exploration(const Scenario &scenario, Depth depth) : scenario_(scenario), depth_(depth) {
        if (!test::long_form() || depth_.exact || depth_.weak) return;
        ++depth_.bound;
        depth_.most *= 50;
        depth_.random *= 100;
    }

    Outcome run() {
        take_over();
        sharing().forget();
        if (depth_.weak) {
            Exhaustive all;
            search(all);
            return outcome_;
        }
        for (int i = 0; i < kWarmUps; ++i) {
            Systematic none(0);
            if (one_run(none)) return confirm();
        }
        if (const char *schedule = std::getenv("GPUSTREAM_SCHEDULE")) return replay(schedule);
        for (outcome_.bound = 0; !outcome_.failed && outcome_.bound <= depth_.bound; ++outcome_.bound) {
            Systematic systematic(outcome_.bound);
            search(systematic);
            if (!outcome_.complete) break;
        }
        outcome_.bound = std::min(outcome_.bound, depth_.bound);
        for (uint64_t i = 0; !outcome_.failed && i < depth_.random; ++i) {
            Random random(first_seed() + i, 1 + static_cast<int>(i % 4), points_);
            if (one_run(random)) confirm();
        }
        return outcome_;
    }

private:
    // True when a rule was broken.
    bool one_run(Chooser &chooser, Memory *memory = nullptr) {
        g_broken.clear();
        set_banner("scenario '" + scenario_.name + "', schedule number " + std::to_string(outcome_.schedules + 1));
        g_memory.forget_watched();
        scenario_.prepare();
        g_memory.clear();
        forget_steps();
        last_ = run_jobs(scenario_.threads, chooser, {depth_.buffered, depth_.locks, memory});
        if (scenario_.judge && !chooser.cut_short()) scenario_.judge();
        if (scenario_.clean_up) scenario_.clean_up();
        settle();
        ++outcome_.schedules;
        points_ = std::max(points_, last_.points);
        return !g_broken.empty();
    }

    void search(Search &search) {
        Memory *const memory = depth_.weak ? &g_memory : nullptr;
        g_search = &search;
        outcome_.complete = false;
        const uint64_t limit = outcome_.schedules + depth_.most;
        int restarts = 0;
        do {
            search.begin();
            const bool broken = one_run(search, memory);
            // It has accessed the real memory where an object turned out to be shared only later, so it does not count.
            if (broken && !(memory && last_.grew)) {
                confirm(memory ? &search : nullptr);
                return;
            }
            if (search.diverged()) ++outcome_.diverged;
            // Points before the accesses that are now known to be shared were left out so far.
            if (last_.grew && (memory || ++restarts <= kMostRestarts)) {
                search.restart();
                if (memory) outcome_ = {};
                continue;
            }
            if (search.cut_short()) ++outcome_.cut_short;
            if (!search.next()) {
                outcome_.complete = true;
                return;
            }
        } while (outcome_.schedules < limit);
    }
    Outcome replay(const char *schedule) {
        Replay chooser(schedule);
        outcome_.failed = one_run(chooser);
        outcome_.text = g_broken;
        outcome_.schedule = schedule;
        outcome_.repeated = chooser.used_up();
        return outcome_;
    }

    // The failing schedule, once more.
    Outcome confirm(Search *weak = nullptr) {
        outcome_.failed = true;
        outcome_.text = g_broken;
        outcome_.schedule = text_of(last_.choices);
        Replay again(outcome_.schedule);
        if (weak) weak->begin();
        outcome_.repeated = weak ? one_run(*weak, &g_memory) : one_run(again);
        --outcome_.schedules;
        return outcome_;
    }

    const Scenario &scenario_;
    Depth depth_;
    Outcome outcome_;
    Run last_;
    uint64_t points_ = 0;
};

void print(const Scenario &scenario, const Outcome &outcome) {
    std::printf("[schedule] %s: %llu schedules, %s with up to %d preemption(s)", scenario.name.c_str(),
                static_cast<unsigned long long>(outcome.schedules), outcome.complete ? "all" : "not all",
                outcome.bound);
    if (outcome.diverged) std::printf(", %llu diverged", static_cast<unsigned long long>(outcome.diverged));
    if (outcome.failed)
        std::printf(": %s\n[schedule] GPUSTREAM_SCHEDULE=%s (%s)\n", outcome.text.c_str(), outcome.schedule.c_str(),
                    outcome.repeated ? "fails again" : "does not fail again");
    else
        std::printf(": no rule broken\n");
    std::fflush(stdout);
}

} // namespace

void require(bool holds, const std::string &rule) {
    if (!holds && g_broken.empty()) g_broken = rule + describe_steps();
}

void watch_memory(const void *begin, size_t bytes, const char *name) { g_memory.watch(begin, bytes, name); }

Outcome explore(const Scenario &scenario, Depth depth) { return Exploration(scenario, depth).run(); }

void expect_clean(const Scenario &scenario, Depth depth) {
    const Outcome outcome = explore(scenario, depth);
    print(scenario, outcome);
    EXPECT_FALSE(outcome.failed) << outcome.text << "\nrun it again with GPUSTREAM_SCHEDULE=" << outcome.schedule;
    // A diverged run is wasted work and no error. Scenarios that start threads have up to one in twenty, because
    // what an ended thread left is handed out in the order of the ends.
    EXPECT_LE(outcome.diverged, outcome.schedules / 10) << "the scenario does not begin in the same state each time";
}

void expect_broken(const Scenario &scenario, Depth depth) {
    const Outcome outcome = explore(scenario, depth);
    print(scenario, outcome);
    EXPECT_TRUE(outcome.failed) << "no schedule shows the seeded bug";
    EXPECT_TRUE(!outcome.failed || outcome.repeated) << "the schedule does not fail each time";
}

} // namespace gs::schedule
