// SPDX-License-Identifier: Apache-2.0
// Times and numbers of entries between threads, and of a thread that logs alone until another one does.
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <thread>

#include "base/clock.hpp"
#include "support/child_process.hpp"
#include "tools/recorder/log_clock.hpp"
#include "tools/recorder/log_turns.hpp"

namespace gs::check::test {
namespace {

using namespace gs::recorder;

void in_own_process(void (*body)()) {
    const auto outcome = gs::test::run_forked([body] {
        body();
        return ::testing::Test::HasFailure() ? 1 : 0;
    });
    EXPECT_TRUE(outcome.clean()) << gs::test::describe(outcome);
}

// As an entry takes it.
uint64_t turn_of(LogTurnBlock &block, uint32_t thread, uint64_t last) {
    uint64_t turn = 0;
    return logs_alone(thread) && block.take(last, &turn) ? turn : block.refill(thread);
}

// Threads that hand a turn to each other, by what the library does not see, get times in that order: by the real counter.
// As often as they do in 20 seconds, at most: where others want the processors, each time takes a turn of the scheduler's.
void hand_over(const std::function<uint64_t(int)> &next) {
    constexpr uint64_t kTurns = 20'000, kOver = 1 << 20, kLongestNs = 20'000'000'000;
    const uint64_t ends = monotonic_ns() + kLongestNs;
    std::atomic<uint64_t> turn{0};
    uint64_t times[2] = {};
    const auto play = [&](uint64_t mine) {
        uint64_t seen = 0;
        for (uint64_t i = 1; i <= kTurns && seen < kOver; ++i) {
            while ((seen = turn.load(std::memory_order_seq_cst)) % 2 != mine) std::this_thread::yield();
            times[mine] = next(static_cast<int>(mine));
            EXPECT_GE(times[mine], times[1 - mine]);
            // Not each time: the machine's clock puts its reader's loads in order, which is what the times must do themselves.
            if (mine == 0 && i % 64 == 0 && monotonic_ns() > ends) seen = kOver;
            turn.fetch_add(seen == kOver ? kOver + 1 : 1, std::memory_order_seq_cst);
        }
    };
    std::thread other([&] { play(1); });
    play(0);
    other.join();
}

TEST(LogClock, OrdersThreadsThatHandOver) {
    in_own_process([] {
        start_log_clock();
        for (int i = 0; i < 100'000; ++i) (void)log_clock_ns(1); // alone until now
        EXPECT_TRUE(logs_alone(1));
        hand_over([](int thread) { return log_clock_ns(thread == 0 ? 1 : 2); });
        EXPECT_FALSE(logs_alone(1) || logs_alone(2));
    });
}

TEST(LogClock, OrdersThreadsWithoutNumbers) {
    in_own_process([] {
        start_log_clock();
        hand_over([](int) { return log_clock_ns(); });
    });
}

TEST(LogTurns, OrderThreadsThatHandOver) {
    in_own_process([] {
        LogTurnBlock blocks[2];
        uint64_t last = 0;
        for (int i = 0; i < 1000; ++i) {
            const uint64_t turn = turn_of(blocks[0], 1, last);
            EXPECT_TRUE(i == 0 || turn == last + 1) << "no number is left out while a thread is alone";
            last = turn;
        }
        hand_over([&](int thread) { return turn_of(blocks[thread], thread == 0 ? 1 : 2, 0); });
    });
}

// Of numbers that a thread has taken, those go that are not above its last entry: a trace has given that one a time.
TEST(LogTurns, ComeBehindTimes) {
    in_own_process([] {
        LogTurnBlock block;
        const uint64_t first = turn_of(block, 1, 0);
        g_log_turns.next.store(1'000'000);
        EXPECT_EQ(turn_of(block, 1, first), first + 1);
        EXPECT_EQ(turn_of(block, 1, 900'000), 1'000'000u);
    });
}

TEST(LogAlone, OnlyTheFirstThreadIsAndOnlyUntilTheSecond) {
    in_own_process([] {
        EXPECT_FALSE(logs_alone(7));
        note_who_logs(7);
        note_who_logs(7);
        EXPECT_TRUE(logs_alone(7));
        EXPECT_FALSE(logs_alone(8));
        note_who_logs(8);
        EXPECT_FALSE(logs_alone(7) || logs_alone(8));
        note_who_logs(7);
        EXPECT_FALSE(logs_alone(7) || logs_alone(8)) << "the first one cannot know what it has learnt since";
    });
}

TEST(LogAlone, NobodyIsOnceAThreadWithoutNumberHasAsked) {
    in_own_process([] {
        note_who_logs(kWithoutBlock);
        note_who_logs(7);
        EXPECT_FALSE(logs_alone(7) || logs_alone(kWithoutBlock));
    });
}

} // namespace
} // namespace gs::check::test
