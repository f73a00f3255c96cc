// SPDX-License-Identifier: Apache-2.0
// Case 21: processes end without shutdown, with work pending and live threads, and neither crash nor hang.
#include <gtest/gtest.h>

#include "support/child_process.hpp"

namespace gs::test {
namespace {

constexpr int kChildsCode = 7;

void expect_end(const std::string &way, const std::vector<std::string> &lines) {
    const Outcome outcome = run_self_as("end", {way});
    EXPECT_TRUE(outcome.exited && outcome.code == kChildsCode && !outcome.timed_out)
        << way << ": " << describe(outcome);
    size_t at = 0;
    for (const std::string &line : lines) {
        at = outcome.output.find(line + "\n", at);
        EXPECT_NE(at, std::string::npos) << "no '" << line << "' in its place: " << outcome.output;
    }
}

TEST(Exit, ReturnFromMain) { expect_end("return", {"atexit", "static destructor"}); }
TEST(Exit, Exit) { expect_end("exit", {"atexit", "static destructor"}); }
TEST(Exit, ImmediateExit) { expect_end("_exit", {}); }
TEST(Exit, QuickExit) { expect_end("quick_exit", {"at_quick_exit"}); }
TEST(Exit, FromAnotherThread) { expect_end("exit from a thread", {"atexit", "static destructor"}); }
TEST(Exit, MainThreadEndsFirst) { expect_end("pthread_exit of main", {"after main", "atexit", "static destructor"}); }

TEST(Exit, ThreadSpecificDestructorsCallTheLibrary) {
    const Outcome outcome = run_self_as("thread_specific_data");
    EXPECT_TRUE(outcome.clean()) << describe(outcome);
}

} // namespace
} // namespace gs::test
