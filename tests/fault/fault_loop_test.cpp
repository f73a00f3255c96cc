// SPDX-License-Identifier: Apache-2.0
// Every scenario, with its first, second, ... driver call failing in every way that call can fail. A short, seeded
// sample of it by default; all of it with GPUSTREAM_TEST_FULL=1.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <ostream>
#include <random>
#include <set>
#include <sstream>

#include "calls/calls.hpp"
#include "fault/codes.hpp"
#include "fault/fake_driver.hpp"
#include "fault/injection.hpp"
#include "support/child_process.hpp"
#include "support/long_form.hpp"

namespace gs::test {

void PrintTo(const Scenario &scenario, std::ostream *out) { *out << scenario.name; }

namespace {

constexpr int kEnded = 4; // CUDA_ERROR_DEINITIALIZED
constexpr unsigned kSeed = 20240917;
constexpr size_t kSample = 24; // injections per scenario

// A driver that has shut down does not come back.
std::vector<int> modes_for(int code) {
    return code == kEnded ? std::vector<int>{FAKE_CUDA_ENDED}
                          : std::vector<int>{FAKE_CUDA_TRANSIENT, FAKE_CUDA_PERSISTENT};
}

std::vector<Injection> plans_for(const Baseline &baseline) {
    std::vector<Injection> plans;
    for (uint64_t nth = 1; nth <= baseline.calls.size(); ++nth) {
        const std::string &symbol = baseline.calls[nth - 1];
        for (const int code : codes_for(symbol))
            for (const int phase : {FAKE_CUDA_BEFORE, FAKE_CUDA_AFTER})
                for (const int mode : modes_for(code)) plans.push_back({nth, code, phase, mode});
        if (!touches_context(symbol)) continue;
        for (const int code : sticky_codes())
            for (const int phase : {FAKE_CUDA_BEFORE, FAKE_CUDA_AFTER, FAKE_CUDA_LATE})
                plans.push_back({nth, code, phase, FAKE_CUDA_STICKY});
    }
    return plans;
}

// The sample has at least one failure of every call, so that the short run covers every path, though not every code.
std::vector<Injection> sample(const std::vector<Injection> &plans) {
    std::mt19937 random(kSeed);
    std::vector<Injection> chosen;
    for (size_t begin = 0; begin < plans.size();) {
        size_t end = begin;
        while (end < plans.size() && plans[end].nth == plans[begin].nth) ++end;
        chosen.push_back(plans[begin + random() % (end - begin)]);
        begin = end;
    }
    while (chosen.size() < kSample && !plans.empty()) chosen.push_back(plans[random() % plans.size()]);
    return chosen;
}

std::string describe(const Injection &injection, const Baseline &baseline) {
    static const char *const kPhases[] = {"before", "after", "late"};
    static const char *const kModes[] = {"transient", "persistent", "sticky", "permanent"};
    const std::string symbol = injection.nth <= baseline.calls.size() ? baseline.calls[injection.nth - 1] : "none";
    return "call " + std::to_string(injection.nth) + " (" + symbol + ") gave " + std::to_string(injection.code) + " " +
           kPhases[injection.phase] + " its effect, " + kModes[injection.mode];
}

class FaultLoop : public testing::TestWithParam<Scenario> {};

TEST_P(FaultLoop, EveryCallFails) {
    const Scenario &scenario = GetParam();
    const Outcome clean = run_forked([&] { return measure(scenario) ? 0 : 1; });
    ASSERT_TRUE(clean.clean()) << describe(clean);
    Baseline baseline;
    ASSERT_TRUE(parse_baseline(clean.output, &baseline)) << clean.output;

    const std::vector<Injection> all = plans_for(baseline);
    const std::vector<Injection> plans = test::long_form() ? all : sample(all);
    int failures = 0;
    size_t injected = 0;
    for (const Injection &injection : plans) {
        // A driver that never says that work is done is believed.
        if (scenario.asks_until_done && injection.code == 600 && injection.mode == FAKE_CUDA_PERSISTENT) continue;
        const Outcome outcome = run_forked([&] { return run_injected(scenario, injection, baseline) ? 0 : 1; });
        if (outcome.output.find("CLEAN\n") == std::string::npos) ++injected;
        EXPECT_TRUE(outcome.clean()) << describe(injection, baseline) << "\n" << describe(outcome);
        failures += outcome.clean() ? 0 : 1;
        if (failures == 20) FAIL() << "and more";
    }
    // The loop's end: a fault planned after the last call is never injected.
    const Injection beyond{baseline.calls.size() + 1000, 1, FAKE_CUDA_BEFORE, FAKE_CUDA_TRANSIENT};
    const Outcome outcome = run_forked([&] { return run_injected(scenario, beyond, baseline) ? 0 : 1; });
    EXPECT_TRUE(outcome.clean() && outcome.output.find("CLEAN\n") != std::string::npos) << describe(outcome);
    EXPECT_TRUE(baseline.calls.empty() || injected > 0);
    std::printf("%zu failures injected into %zu driver calls (of %zu possible failures)\n", injected,
                baseline.calls.size(), all.size());
    RecordProperty("injected", static_cast<int>(injected));
}

INSTANTIATE_TEST_SUITE_P(, FaultLoop, testing::ValuesIn(scenarios()),
                         [](const testing::TestParamInfo<Scenario> &one) { return std::string(one.param.name); });

// Every public function is a step of some scenario.
TEST(FaultScenarios, CoverEveryEntryPoint) {
    std::set<std::string> called;
    for (const Scenario &scenario : scenarios()) {
        const Outcome outcome = run_forked([&] { return measure(scenario) ? 0 : 1; });
        ASSERT_TRUE(outcome.clean()) << scenario.name << "\n" << describe(outcome);
        std::istringstream lines(outcome.output);
        for (std::string word, value; lines >> word >> value;)
            if (word == "FUNCTION") called.insert(value);
    }
    std::ifstream map(GS_TEST_MAP);
    ASSERT_TRUE(map.good()) << GS_TEST_MAP;
    size_t functions = 0;
    for (std::string word; map >> word;) {
        if (word.rfind("gs_", 0) != 0 || word.back() != ';') continue;
        word.pop_back();
        ++functions;
        EXPECT_EQ(called.count(word), 1u) << word << " is in no scenario";
    }
    EXPECT_GT(functions, 80u);
}

// A new function is in the scenarios by itself, or listed with the reason why its scenario is written by hand.
TEST(FaultScenarios, EveryFunctionIsGeneratedOrListed) {
    EXPECT_EQ(wrongly_listed(every_call(), calls_by_hand()), std::vector<std::string>{});
    std::vector<Call> more = every_call();
    more.push_back(
        {"gs_new", InBadFork::Refused, InHostFunction::Refused, Blocks::Never, Trace::ByHand, false, 0, nullptr, nullptr, nullptr});
    EXPECT_EQ(wrongly_listed(more, calls_by_hand()).size(), 1u);
    std::vector<ByHand> list = calls_by_hand();
    list.push_back({"gs_gone", "is gone"});
    list.push_back({"gs_version", "cannot fail"});
    list.push_back(list.front());
    EXPECT_EQ(wrongly_listed(every_call(), list).size(), 3u);
    EXPECT_GT(repeatable_calls().size(), 50u);
}

} // namespace
} // namespace gs::test
