// SPDX-License-Identifier: Apache-2.0
// Each race is reported, and only races: random programs without a race, and each with one of its waits taken away.
//
// GPUSTREAM_TEST_FULL=1 runs a million. A failure prints its seed; GPUSTREAM_CHECK_SEED=<seed> runs only that one.
#include <gtest/gtest.h>

#include <cstdlib>

#include "checker/runner.hpp"
#include "oracle/program.hpp"
#include "support/long_form.hpp"

namespace gs::check::test {
namespace {

struct Seeds {
    uint64_t first, last;
};
Seeds seeds(uint64_t few, uint64_t many) {
    if (const char *one = std::getenv("GPUSTREAM_CHECK_SEED")) {
        const uint64_t seed = std::strtoull(one, nullptr, 0);
        return {seed, seed};
    }
    return {1, gs::test::long_form() ? many : few};
}

struct Counts {
    uint64_t programs = 0, races = 0;
};

// The program as it is, and without one of the steps that order something.
void run_both(Runner &runner, uint64_t seed, int threads, Counts &counts) {
    const Program program = race_free_program(seed, threads);
    const Outcome whole = runner.run(program);
    ++counts.programs;
    ASSERT_FALSE(whole.race) << "the generator is wrong\n" << describe(program);
    ASSERT_EQ(whole.reported, 0u) << "a false alarm; seed " << seed << "\n" << describe(program);
    std::vector<size_t> waits;
    for (size_t i = 0; i < program.size(); ++i)
        if (orders(program[i])) waits.push_back(i);
    if (waits.empty()) return;
    oracle::Random random(~seed);
    const size_t removed = waits[static_cast<size_t>(random.below(static_cast<int>(waits.size())))];
    Program less = program;
    less.erase(less.begin() + static_cast<ptrdiff_t>(removed));
    const Outcome outcome = runner.run(less);
    counts.races += outcome.race ? 1 : 0;
    ASSERT_EQ(outcome.reported > 0, outcome.race) << (outcome.race ? "a race was missed" : "a false alarm") << "; seed "
                                                  << seed << " without step " << removed << "\n"
                                                  << describe(program);
}

void run_all(int threads, Seeds range) {
    Runner runner;
    Counts counts;
    for (uint64_t seed = range.first; seed <= range.last; ++seed) {
        run_both(runner, seed, threads, counts);
        if (::testing::Test::HasFatalFailure()) return;
    }
    // What is taken away matters often enough for the test to mean something.
    if (counts.programs > 100) {
        EXPECT_GT(counts.races, counts.programs / 10);
    }
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr uint64_t kFewPrograms = 3'000; // each takes nine times as long
#else
constexpr uint64_t kFewPrograms = 20'000;
#endif

TEST(CheckedPrograms, OneThread) { run_all(1, seeds(kFewPrograms, 1'000'000)); }
TEST(CheckedPrograms, ThreeThreads) { run_all(kThreads, seeds(2'000, 100'000)); }

} // namespace
} // namespace gs::check::test
