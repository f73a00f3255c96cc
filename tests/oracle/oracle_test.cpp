// SPDX-License-Identifier: Apache-2.0
// Elision may change nothing but speed: random programs, with and without it, against the oracle.
//
// GPUSTREAM_TEST_FULL=1 runs a million. A failure prints its seed; GPUSTREAM_ORACLE_SEED=<seed> runs only that one.
#include <gtest/gtest.h>

#include <cstdlib>

#include "oracle/host_site.hpp"
#include "oracle/runner.hpp"
#include "support/seeded.hpp"
#include "support/seeds.hpp"

namespace gs::oracle {
namespace {

// As under ctest, also if the executable is run by hand: replays depend on the single worker.
const bool kSettings = setenv("GPUSTREAM_HOST_WORKERS", "1", 0) == 0 && setenv("GPUSTREAM_BACKEND", "host", 0) == 0;

void expect_correct(Mode mode, uint64_t few, uint64_t many) {
    ASSERT_TRUE(kSettings);
    HostSite site;
    const auto [first, count] = test::seeds("GPUSTREAM_ORACLE_SEED", few, many);
    for (const Failure &failure : run_programs(site, first, count, mode))
        ADD_FAILURE() << failure.text << "again with GPUSTREAM_ORACLE_SEED=" << failure.seed;
}

TEST(Programs, KeepTheirOrderInterleaved) { expect_correct(Mode::Interleaved, 25'000, 1'000'000); }
TEST(Programs, KeepTheirOrderInParallel) { expect_correct(Mode::Parallel, 4'000, 100'000); }

// A failure must repeat exactly, and the thread that delivers entries is no part of a replay.
class SiteWithoutQueues final : public HostSite {
    bool has_queues() const override { return false; }
};

class SeededBugTest : public ::testing::TestWithParam<gs::testing::SeededBug> {};

// The programs must detect a wrong library, with the first seeds that CI runs.
TEST_P(SeededBugTest, IsFound) {
    SiteWithoutQueues site;
    const gs::testing::Seeded seeded(GetParam());
    const std::vector<Failure> failures = run_programs(site, 1, 5'000, Mode::Interleaved, Elision::On);
    ASSERT_FALSE(failures.empty());
    // What a thread holds of a followed stream outlives a program, so the program before has a part in this one.
    if (GetParam() == gs::testing::SeededBug::FollowOnce) return;
    // Programs of a batch let the engine run each other's work. Alone, the same calls are answered from what a synchronize has
    // proved, and the early publication does no harm.
    if (GetParam() == gs::testing::SeededBug::PublishBeforeCall) return;
    // The seed alone reproduces it. What the library wrongly calls done may be done by then, when the machine is busy and the
    // program's thread stands still, so it is asked for more than once.
    const uint64_t seed = failures.front().seed;
    std::vector<Failure> again;
    for (int attempt = 0; attempt < 50 && again.empty(); ++attempt)
        again = run_programs(site, seed, 1, Mode::Interleaved, Elision::On);
    ASSERT_EQ(again.size(), 1u);
    EXPECT_EQ(again.front().text, failures.front().text);
}

class SeededQueueBugTest : public ::testing::TestWithParam<gs::testing::SeededBug> {};

// Entries come from a thread of the library's, so that the seed does not show the same failure each time.
TEST_P(SeededQueueBugTest, IsFound) {
    HostSite site;
    const gs::testing::Seeded seeded(GetParam());
    const std::vector<Failure> failures = run_programs(site, 1, 5'000, Mode::Interleaved, Elision::On);
    ASSERT_FALSE(failures.empty());
    EXPECT_NE(failures.front().text.find("entry"), std::string::npos) << failures.front().text;
}

std::string name_of(gs::testing::SeededBug bug) {
    using gs::testing::SeededBug;
    switch (bug) {
    case SeededBug::PublishBeforeCall: return "PublishBeforeCall";
    case SeededBug::SkipWaitAcrossStreams: return "SkipWaitAcrossStreams";
    case SeededBug::KeepTheirStream: return "KeepTheirStream";
    case SeededBug::FollowOnce: return "FollowOnce";
    case SeededBug::TellAsFound: return "TellAsFound";
    case SeededBug::AskAboutTheEvent: return "AskAboutTheEvent";
    default: return "unknown";
    }
}

INSTANTIATE_TEST_SUITE_P(, SeededBugTest,
                         ::testing::Values(gs::testing::SeededBug::PublishBeforeCall,
                                           gs::testing::SeededBug::SkipWaitAcrossStreams,
                                           gs::testing::SeededBug::KeepTheirStream, gs::testing::SeededBug::FollowOnce),
                         [](const auto &bug) { return name_of(bug.param); });

INSTANTIATE_TEST_SUITE_P(, SeededQueueBugTest,
                         ::testing::Values(gs::testing::SeededBug::TellAsFound,
                                           gs::testing::SeededBug::AskAboutTheEvent),
                         [](const auto &bug) { return name_of(bug.param); });

} // namespace
} // namespace gs::oracle
