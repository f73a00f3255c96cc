// SPDX-License-Identifier: Apache-2.0
// A thread that was about to log when the trace that turned the log on is stopped.
#include <gtest/gtest.h>

#include "support/child_process.hpp"
#include "tools/recorder/event_log.hpp"

namespace gs::check::test {
namespace {

TEST(LogEnd, GivesNoRing) {
    const auto outcome = gs::test::run_forked([] {
        recorder::start_log(0);
        ThreadBlock *thread = this_thread();
        thread->log.store(nullptr);
        EXPECT_EQ(recorder::new_log_ring(*thread), nullptr); // it has seen the log on before
        recorder::start_log(16);
        LogRing *ring = recorder::new_log_ring(*thread);
        if (!ring) return 2;
        recorder::start_log(0);
        EXPECT_EQ(recorder::new_log_ring(*thread), ring);
        return ::testing::Test::HasFailure() ? 1 : 0;
    });
    EXPECT_TRUE(outcome.clean()) << gs::test::describe(outcome);
}

} // namespace
} // namespace gs::check::test
