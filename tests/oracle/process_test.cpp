// SPDX-License-Identifier: Apache-2.0
// Random programs of three processes that order their work by interprocess events or tokens, against the oracle.
//
// GPUSTREAM_TEST_FULL=1 runs more. GPUSTREAM_ORACLE_SEED=<seed> runs only that program.
#include <gtest/gtest.h>

#include "base/testing.hpp"
#include "oracle/process_runner.hpp"
#include "support/seeded_bug.hpp"
#include "support/seeds.hpp"

namespace gs::oracle {
namespace {

void expect_correct(Turns turns, uint64_t few, uint64_t many, Between between = Between::Events) {
    const auto [first, count] = test::seeds("GPUSTREAM_ORACLE_SEED", few, many);
    for (const Failure &failure : run_in_processes(first, count, turns, 0, between))
        ADD_FAILURE() << failure.text << "again with GPUSTREAM_ORACLE_SEED=" << failure.seed;
}

TEST(ProcessPrograms, KeepTheirOrderByTurns) { expect_correct(Turns::Taken, 2'400, 48'000); }
TEST(ProcessPrograms, KeepTheirOrderFreely) { expect_correct(Turns::Free, 2'400, 48'000); }

// The same programs, with a token for each record.
TEST(ProcessPrograms, KeepTheirOrderWithTokensByTurns) { expect_correct(Turns::Taken, 2'400, 48'000, Between::Tokens); }
TEST(ProcessPrograms, KeepTheirOrderWithTokensFreely) { expect_correct(Turns::Free, 2'400, 48'000, Between::Tokens); }

// The event of a pending point is given to the next token, and the old one counts as reached.
TEST(ProcessPrograms, FindTheSeededBugOfTokens) {
    const std::vector<Failure> failures =
        run_in_processes(1, 480, Turns::Taken, static_cast<int>(gs::testing::SeededBug::ReusePending), Between::Tokens);
    ASSERT_FALSE(failures.empty());
}

// As it was once: a newer record of the event ended the waits for the older one.
TEST(ProcessPrograms, FindTheSeededBug) {
    const std::vector<Failure> failures =
        run_in_processes(1, 480, Turns::Taken, static_cast<int>(gs::testing::SeededBug::NewerRecordEndsWaits));
    ASSERT_FALSE(failures.empty());
    EXPECT_NE(failures.front().text.find("which it must follow"), std::string::npos) << failures.front().text;
}

} // namespace
} // namespace gs::oracle
