// SPDX-License-Identifier: Apache-2.0
// Random programs of timelines and events, on host and on the CUDA backend over the fake driver.
//
// GPUSTREAM_TEST_FULL=1 runs 300,000. A failure prints its seed; GPUSTREAM_ORACLE_SEED=<seed> runs only that one.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "oracle/timeline_session.hpp"
#include "support/seeded.hpp"
#include "support/seeds.hpp"

namespace gs::oracle {
namespace {

// The seed and the text of the first failure; empty: none.
std::string run_timelines(uint64_t first_seed, uint64_t count, uint64_t *out_seed, int64_t stuck_ns = 30'000'000'000) {
    for (uint64_t seed = first_seed; seed < first_seed + count; ++seed) {
        const TimelineProgram program = generate_timelines(seed);
        const std::string trouble = TimelineSession(program, stuck_ns).run();
        *out_seed = seed;
        if (!trouble.empty()) return trouble + "\n" + describe(program);
    }
    return {};
}

} // namespace

TEST(Timelines, ProgramsAreTheSameForTheSameSeed) {
    EXPECT_EQ(describe(generate_timelines(7)), describe(generate_timelines(7)));
    EXPECT_NE(describe(generate_timelines(7)), describe(generate_timelines(8)));
}

// The kinds of order that the library has to find out are all in the first programs.
TEST(Timelines, ProgramsWaitFirstAndSignalOutOfOrder) {
    std::set<TimelineKind> kinds;
    int waits_first = 0, late_signals = 0;
    for (uint64_t seed = 1; seed <= 50; ++seed) {
        const TimelineProgram program = generate_timelines(seed);
        uint16_t signalled[kTimelines] = {};
        for (const TimelineOp &op : program.ops) {
            kinds.insert(op.kind);
            waits_first += op.kind == TimelineKind::Wait && op.value > signalled[op.object];
            if (op.kind != TimelineKind::Signal && op.kind != TimelineKind::HostSignal) continue;
            late_signals += op.value < signalled[op.object];
            signalled[op.object] = std::max(signalled[op.object], op.value);
        }
    }
    EXPECT_EQ(kinds.size(), static_cast<size_t>(TimelineKind::WaitEvent) + 1);
    EXPECT_GT(waits_first, 50);
    EXPECT_GT(late_signals, 10);
}

TEST(Timelines, StreamsKeepTheOrderOfTheWitness) {
    const auto [first, count] = test::seeds("GPUSTREAM_ORACLE_SEED", 2'000, 300'000);
    uint64_t failed = 0;
    const std::string trouble = run_timelines(first, count, &failed);
    EXPECT_EQ(trouble, "") << "again with GPUSTREAM_ORACLE_SEED=" << failed;
}

using testing::SeededBug;
class TimelineBugs : public ::testing::TestWithParam<SeededBug> {};

TEST_P(TimelineBugs, AreFound) {
    uint64_t seed = 0;
    const testing::Seeded seeded(GetParam());
    const std::string trouble = run_timelines(1, 100'000, &seed, 1'000'000'000);
    EXPECT_NE(trouble, "");
}

std::string name_of(const ::testing::TestParamInfo<SeededBug> &bug) {
    return bug.param == SeededBug::SignalsOvertake ? "SignalsOvertake" : "WaitForAnySignal";
}
INSTANTIATE_TEST_SUITE_P(, TimelineBugs, ::testing::Values(SeededBug::SignalsOvertake, SeededBug::WaitForAnySignal),
                         name_of);

} // namespace gs::oracle
