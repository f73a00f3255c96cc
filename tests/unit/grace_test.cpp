// SPDX-License-Identifier: Apache-2.0
#include "handle/grace.hpp"

#include <gtest/gtest.h>
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "handle/slot_map.hpp"
#include "support/seeded_bug.hpp"

namespace gs {
namespace {

// A thread that enters and leaves calls on command.
class Caller {
public:
    Caller() : thread_([this] { run(); }) { wait_for(kOutside); }
    ~Caller() {
        command_ = kEnd;
        thread_.join();
    }
    void enter() { order(kInside); }
    void leave() { order(kOutside); }

private:
    enum { kNone, kInside, kOutside, kEnd };
    void order(int what) {
        command_ = what;
        wait_for(what);
    }
    void wait_for(int what) {
        while (state_ != what) std::this_thread::yield();
    }
    void run() {
        ThreadBlock &self = *this_thread();
        std::unique_ptr<CallMark> mark;
        state_ = kOutside;
        while (command_ != kEnd) {
            if (command_ == kInside && !mark) mark = std::make_unique<CallMark>(self);
            if (command_ == kOutside) mark.reset();
            state_ = mark ? int{kInside} : int{kOutside};
            std::this_thread::yield();
        }
    }
    std::atomic<int> command_{kNone}, state_{kNone};
    std::thread thread_;
};

TEST(Grace, OverAtOnceWhenNobodyIsInside) {
    Caller idle;
    Grace grace;
    grace.begin(this_thread());
    EXPECT_TRUE(grace.over());
    EXPECT_TRUE(grace.over());
}

TEST(Grace, WaitsForACallThatWasInside) {
    Caller caller;
    caller.enter();
    Grace grace;
    grace.begin(this_thread());
    for (int i = 0; i < 100; ++i) EXPECT_FALSE(grace.over());
    caller.leave();
    EXPECT_TRUE(grace.over());
}

TEST(Grace, DoesNotWaitForLaterCalls) {
    Caller caller;
    caller.enter();
    Grace grace;
    grace.begin(this_thread());
    caller.leave();
    caller.enter(); // another call, begun after the period
    EXPECT_TRUE(grace.over());
    caller.leave();
}

TEST(Grace, TheCallersOwnMarkDoesNotCount) {
    CallMark mark(*this_thread());
    Grace grace;
    grace.begin(this_thread());
    EXPECT_TRUE(grace.over());
    grace.begin(nullptr);
    EXPECT_FALSE(grace.over()) << "it does when no thread is left out";
}

TEST(Grace, NestedMarksEndWithTheOutermost) {
    ThreadBlock &self = *this_thread();
    const uint64_t before = self.call_seq.load();
    {
        CallMark outer(self);
        { CallMark inner(self); }
        EXPECT_EQ(self.call_seq.load() & 1, 1u) << "still inside";
    }
    EXPECT_EQ(self.call_seq.load(), before + 2);
}

TEST(Grace, MoreBusyThreadsThanFitOnTheList) {
    std::vector<std::unique_ptr<Caller>> callers;
    for (int i = 0; i < 40; ++i) {
        callers.push_back(std::make_unique<Caller>());
        callers.back()->enter();
    }
    Grace grace;
    grace.begin(this_thread());
    EXPECT_FALSE(grace.over());
    for (size_t i = 0; i < callers.size(); ++i) {
        EXPECT_FALSE(grace.over()) << i << " of 40 have left";
        callers[i]->leave();
    }
    EXPECT_TRUE(grace.over());
}

// Threads that are inside a call whenever they are checked, but never in the same call.
TEST(Grace, EndsAlthoughMoreThreadsThanFitAreAlwaysInside) {
    std::vector<std::unique_ptr<Caller>> callers;
    for (int i = 0; i < 100; ++i) {
        callers.push_back(std::make_unique<Caller>());
        callers.back()->enter();
    }
    Grace grace;
    grace.begin(this_thread());
    int rounds = 0;
    while (!grace.over() && rounds < 10) {
        ++rounds;
        for (const std::unique_ptr<Caller> &caller : callers) {
            caller->leave();
            caller->enter();
        }
    }
    EXPECT_EQ(rounds, 4) << "32 of them are waited for at a time";
    for (const std::unique_ptr<Caller> &caller : callers) caller->leave();
}

TEST(Grace, MarksAreLightWhereTheKernelHasTheBarrier) {
    prepare_marks();
    EXPECT_TRUE(g_marks_prepared.load());
#if defined(GS_TSAN)
    EXPECT_FALSE(g_light_marks.load()) << "the sanitizer does not know the barrier";
#else
    const long commands = syscall(SYS_membarrier, MEMBARRIER_CMD_QUERY, 0, 0);
    EXPECT_EQ(g_light_marks.load(), commands > 0 && (commands & MEMBARRIER_CMD_PRIVATE_EXPEDITED) != 0);
#endif
}

TEST(Grace, TheSeededBugSkipsThePeriod) {
    Caller caller;
    caller.enter();
    testing::seeded_bug = testing::SeededBug::ReuseWithoutGrace;
    Grace grace;
    grace.begin(this_thread());
    testing::seeded_bug = testing::SeededBug::None;
    EXPECT_TRUE(grace.over()) << "the fixture of the reuse race has no effect";
    caller.leave();
}

TEST(Pin, IsCountedWhileHeld) {
    SlotBase slot;
    {
        PinGuard pin;
        EXPECT_EQ(slot.pins.load(), 0u);
        pin.take(slot);
        PinGuard second;
        second.take(slot);
        EXPECT_EQ(slot.pins.load(), 2u);
    }
    EXPECT_EQ(slot.pins.load(), 0u);
}

} // namespace
} // namespace gs
