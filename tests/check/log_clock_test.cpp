// SPDX-License-Identifier: Apache-2.0
// The clock of the log on counters that are right, wrong, set back and of another speed; and steps of the machine's clock. Each in
// a process of its own, where the counter and the clock are the test's.
#include <gtest/gtest.h>

#include <thread>

#include "base/clock.hpp"
#include "base/testing.hpp"
#include "support/child_process.hpp"
#include "tools/recorder/log_clock.hpp"

namespace gs::check::test {
namespace {

using recorder::log_clock_ns;

// 2 ticks a nanosecond of a time that only the test moves on.
std::atomic<uint64_t> g_ticks{1'000'000};
// A thread that stops at its so-and-so-many-th look at the counter.
thread_local int t_stops_at = 0;
std::atomic<bool> g_stopped{false}, g_go_on{false};
uint64_t ticks_of_test() {
    if (t_stops_at > 0 && --t_stops_at == 0) {
        g_stopped.store(true);
        while (!g_go_on.load()) std::this_thread::yield();
    }
    return g_ticks.load(std::memory_order_relaxed);
}

class Machine {
public:
    Machine() {
        begin_ = monotonic_ns();
        recorder::g_log_ticks_of_test.store(ticks_of_test, std::memory_order_relaxed);
        recorder::start_log_clock();
    }
    // So much of the machine's time passes, in small pieces, in each of which the log is written. Times never go back.
    void pass(uint64_t ns, uint64_t piece = 50'000) {
        for (uint64_t done = 0; done < ns; done += piece) {
            ahead_ += piece;
            testing::clock_ahead_ns.store(static_cast<int64_t>(ahead_), std::memory_order_relaxed);
            g_ticks.fetch_add(piece * rate_halves, std::memory_order_relaxed);
            const uint64_t now = log_clock_ns();
            EXPECT_GE(now, last_);
            last_ = now;
        }
    }
    // How far the log's time is from the machine's. The test itself takes time, which its counter does not see.
    uint64_t error() const {
        const uint64_t now = monotonic_ns();
        return now > last_ ? now - last_ : last_ - now;
    }
    uint64_t rate_halves = 2;
    uint64_t own_time() const { return monotonic_ns() - ahead_ - begin_; }

private:
    uint64_t begin_ = 0, ahead_ = 0, last_ = 0;
};

constexpr uint64_t kMillisecond = 1'000'000, kSecond = 1000 * kMillisecond;

void with_own_clock(void (*body)()) {
    const auto outcome = gs::test::run_forked([body] {
        body();
        return ::testing::Test::HasFailure() ? 1 : 0;
    });
    EXPECT_TRUE(outcome.clean()) << gs::test::describe(outcome);
}

TEST(LogClock, FollowsTheMachine) {
    with_own_clock([] {
        Machine machine;
        machine.pass(5 * kSecond);
        EXPECT_NE(recorder::g_log_scale.number.load(), 0u) << "the counter serves";
        EXPECT_LT(machine.error(), machine.own_time() + 100 * kMillisecond);
    });
}

TEST(LogClock, ServesBetweenItsScalesWithoutTheMachine) {
    with_own_clock([] {
        Machine machine;
        machine.pass(3 * kSecond);
        const uint64_t before = log_clock_ns();
        g_ticks.fetch_add(2'000); // a microsecond, by the counter only
        const uint64_t passed = log_clock_ns() - before;
        EXPECT_NEAR(static_cast<double>(passed), 1000.0, 200.0);
    });
}

// It becomes twice as fast: the scale in use is wrong from then on, and none that is as wrong comes after it.
TEST(LogClock, ACounterOfAnotherSpeed) {
    with_own_clock([] {
        Machine machine;
        machine.pass(3 * kSecond);
        machine.rate_halves = 4;
        machine.pass(6 * kSecond);
        EXPECT_LT(machine.error(), machine.own_time() + 100 * kMillisecond);
        machine.rate_halves = 1;
        machine.pass(6 * kSecond);
        EXPECT_LT(machine.error(), machine.own_time() + 100 * kMillisecond);
    });
}

TEST(LogClock, ACounterThatStandsOrBeginsAgain) {
    with_own_clock([] {
        Machine machine;
        machine.pass(3 * kSecond);
        g_ticks.store(17);
        machine.pass(4 * kSecond);
        EXPECT_LT(machine.error(), machine.own_time() + 100 * kMillisecond);
        machine.rate_halves = 0;
        machine.pass(kSecond, kMillisecond); // within its scale the log stands, too
        machine.rate_halves = 2;
        machine.pass(4 * kSecond);
        EXPECT_LT(machine.error(), machine.own_time() + 100 * kMillisecond);
    });
}

TEST(LogClock, StepsOfTheMachinesClock) {
    with_own_clock([] {
        Machine machine;
        machine.pass(2 * kSecond);
        g_ticks.fetch_add(10 * kSecond); // the machine slept, and its counter did not
        machine.pass(4 * kSecond);
        EXPECT_LT(machine.error(), machine.own_time() + 100 * kMillisecond);
    });
}

// In a forked child the thread that was about to make a scale is gone: the machine's clock serves.
TEST(LogClock, OfAForkedChild) {
    with_own_clock([] {
        Machine machine;
        machine.pass(2 * kSecond);
        g_ticks.fetch_add(10 * kSecond); // the scale has ended
        std::thread maker([] {
            t_stops_at = 2; // the first one is for the scale that has ended
            (void)log_clock_ns();
        });
        while (!g_stopped.load()) std::this_thread::yield();
        const auto child = gs::test::run_forked([] {
            uint64_t last = log_clock_ns();
            for (int i = 0; i < 1000; ++i) {
                g_ticks.fetch_add(100 * kMillisecond);
                const uint64_t now = log_clock_ns();
                if (now < last || now > monotonic_ns() + kSecond) return 1;
                last = now;
            }
            return 0;
        });
        g_go_on.store(true);
        maker.join();
        EXPECT_TRUE(child.clean()) << gs::test::describe(child);
        machine.pass(2 * kSecond);
        EXPECT_NE(recorder::g_log_scale.number.load(), 0u) << "the parent goes on";
    });
}

// A thread finds that the scale has ended, and goes on when another one has made the next.
TEST(LogClock, AScaleIsNotMadeTwice) {
    with_own_clock([] {
        Machine machine;
        machine.pass(3 * kSecond);
        uint64_t late = 0;
        std::thread thread([&] {
            t_stops_at = 1; // before it has a scale
            late = log_clock_ns();
        });
        while (!g_stopped.load()) std::this_thread::yield();
        machine.pass(2 * kSecond);
        const uint64_t scale = recorder::g_log_scale.number.load();
        EXPECT_NE(scale, 0u);
        g_go_on.store(true);
        thread.join();
        EXPECT_EQ(recorder::g_log_scale.number.load(), scale);
        EXPECT_LT(late, monotonic_ns() + 100 * kMillisecond);
        const uint64_t before = log_clock_ns();
        g_ticks.fetch_add(2'000);
        EXPECT_GT(log_clock_ns(), before) << "it goes on";
    });
}

} // namespace
} // namespace gs::check::test
