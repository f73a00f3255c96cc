// SPDX-License-Identifier: Apache-2.0
// The engine itself, on the programs that memory models are known by: it finds every outcome that C++20 allows, and no other.
#include <gtest/gtest.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <set>
#include <string>

#include "schedule/scheduler/explore.hpp"

namespace gs::models {
namespace {

using schedule::Outcome;
using schedule::require;
using schedule::watch;

Outcome explore(const schedule::Scenario &program) { return schedule::explore(program, schedule::kWeak); }

constexpr auto kRelaxed = std::memory_order_relaxed;
constexpr auto kAcquire = std::memory_order_acquire;
constexpr auto kRelease = std::memory_order_release;
constexpr auto kAcqRel = std::memory_order_acq_rel;
constexpr auto kSeqCst = std::memory_order_seq_cst;

std::atomic<int> g_x, g_y, g_z;
int g_seen[4]; // each written by one thread
int g_payload;
pthread_mutex_t g_mutex = PTHREAD_MUTEX_INITIALIZER;

using Threads = std::vector<std::function<void()>>;
using Outcomes = std::set<std::string>;

void clear() {
    g_x.store(0);
    g_y.store(0);
    g_z.store(0);
    for (int &seen : g_seen) seen = 0;
    g_payload = 0;
}

// What the first `count` entries of g_seen end with.
Outcomes outcomes(const Threads &threads, int count) {
    Outcomes found;
    const Outcome result = explore({"litmus", clear, threads, [&] {
                                        std::string text;
                                        for (int i = 0; i < count; ++i) text += static_cast<char>('0' + g_seen[i]);
                                        found.insert(text);
                                    }});
    EXPECT_EQ(result.text, "");
    EXPECT_TRUE(result.complete);
    return found;
}

Threads store_buffer(std::memory_order store, std::memory_order load) {
    return {[=] { g_x.store(1, store), g_seen[0] = g_y.load(load); },
            [=] { g_y.store(1, store), g_seen[1] = g_x.load(load); }};
}

Threads message(std::memory_order store, std::memory_order load) {
    return {[=] { g_x.store(1, kRelaxed), g_y.store(1, store); },
            [=] { g_seen[0] = g_y.load(load), g_seen[1] = g_x.load(kRelaxed); }};
}

TEST(Litmus, StoreBuffering) {
    const Outcomes all{"00", "01", "10", "11"}, ordered{"01", "10", "11"};
    EXPECT_EQ(outcomes(store_buffer(kRelaxed, kRelaxed), 2), all);
    EXPECT_EQ(outcomes(store_buffer(kRelease, kAcquire), 2), all);
    EXPECT_EQ(outcomes(store_buffer(kSeqCst, kAcquire), 2), all);
    EXPECT_EQ(outcomes(store_buffer(kSeqCst, kSeqCst), 2), ordered);
}

TEST(Litmus, StoreBufferingWithFences) {
    const auto side = [](std::atomic<int> &own, std::atomic<int> &other, int &seen, std::memory_order order) {
        own.store(1, kRelaxed);
        std::atomic_thread_fence(order);
        seen = other.load(kRelaxed);
    };
    const auto both = [&](std::memory_order order) -> Threads {
        return {[=] { side(g_x, g_y, g_seen[0], order); }, [=] { side(g_y, g_x, g_seen[1], order); }};
    };
    EXPECT_EQ(outcomes(both(kSeqCst), 2), (Outcomes{"01", "10", "11"}));
    EXPECT_EQ(outcomes(both(kAcqRel), 2), (Outcomes{"00", "01", "10", "11"}));
}

TEST(Litmus, StoreBufferingWithOneMembarrier) {
    const Threads threads{[] { g_x.store(1, kRelaxed), g_seen[0] = g_y.load(kRelaxed); },
                          [] {
                              g_y.store(1, kRelaxed);
                              syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
                              g_seen[1] = g_x.load(kRelaxed);
                          }};
    EXPECT_EQ(outcomes(threads, 2), (Outcomes{"01", "10", "11"}));
}

TEST(Litmus, MessagePassing) {
    const Outcomes all{"00", "01", "10", "11"}, ordered{"00", "01", "11"};
    EXPECT_EQ(outcomes(message(kRelaxed, kRelaxed), 2), all);
    EXPECT_EQ(outcomes(message(kRelease, kRelaxed), 2), all);
    EXPECT_EQ(outcomes(message(kRelaxed, kAcquire), 2), all);
    EXPECT_EQ(outcomes(message(kRelease, kAcquire), 2), ordered);
}

TEST(Litmus, MessagePassingWithFences) {
    const auto threads = [](bool first, bool second) -> Threads {
        return {[=] {
                    g_x.store(1, kRelaxed);
                    if (first) std::atomic_thread_fence(kRelease);
                    g_y.store(1, kRelaxed);
                },
                [=] {
                    g_seen[0] = g_y.load(kRelaxed);
                    if (second) std::atomic_thread_fence(kAcquire);
                    g_seen[1] = g_x.load(kRelaxed);
                }};
    };
    const Outcomes all{"00", "01", "10", "11"};
    EXPECT_EQ(outcomes(threads(true, true), 2), (Outcomes{"00", "01", "11"}));
    EXPECT_EQ(outcomes(threads(true, false), 2), all);
    EXPECT_EQ(outcomes(threads(false, true), 2), all);
}

// 11 is "load buffering", which the engine does not explore.
TEST(Litmus, LoadBuffering) {
    EXPECT_EQ(outcomes({[] { g_seen[0] = g_x.load(kRelaxed), g_y.store(1, kRelaxed); },
                        [] { g_seen[1] = g_y.load(kRelaxed), g_x.store(1, kRelaxed); }},
                       2),
              (Outcomes{"00", "01", "10"}));
}

// Two threads that read two independent stores in opposite order.
TEST(Litmus, IndependentReads) {
    const auto threads = [](std::memory_order store, std::memory_order load) -> Threads {
        return {[=] { g_x.store(1, store); }, [=] { g_y.store(1, store); },
                [=] { g_seen[0] = g_x.load(load), g_seen[1] = g_y.load(load); },
                [=] { g_seen[2] = g_y.load(load), g_seen[3] = g_x.load(load); }};
    };
    EXPECT_EQ(outcomes(threads(kRelease, kAcquire), 4).count("1010"), 1u);
    EXPECT_EQ(outcomes(threads(kRelease, kAcquire), 4).size(), 16u);
    EXPECT_EQ(outcomes(threads(kSeqCst, kSeqCst), 4).count("1010"), 0u);
    EXPECT_EQ(outcomes(threads(kSeqCst, kSeqCst), 4).size(), 15u);
}

TEST(Litmus, WritesInOppositeOrder) {
    const auto threads = [](std::memory_order order) -> Threads {
        return {[=] { g_x.store(1, order), g_y.store(2, order); }, [=] { g_y.store(1, order), g_x.store(2, order); }};
    };
    const auto final_state = [](const Threads &program) {
        bool both_first = false;
        EXPECT_TRUE(
            explore({"2+2W", clear, program, [&] { both_first |= g_x.load() == 1 && g_y.load() == 1; }}).complete);
        return both_first;
    };
    EXPECT_TRUE(final_state(threads(kRelaxed)));
    EXPECT_TRUE(final_state(threads(kRelease)));
    EXPECT_FALSE(final_state(threads(kSeqCst)));
}

TEST(Litmus, ReadsOfOneLocationAreCoherent) {
    const Outcomes found = outcomes({[] { g_x.store(1, kRelaxed), g_x.store(2, kRelaxed); },
                                     [] { g_seen[0] = g_x.load(kRelaxed), g_seen[1] = g_x.load(kRelaxed); }},
                                    2);
    EXPECT_EQ(found, (Outcomes{"00", "01", "02", "11", "12", "22"}));
}

TEST(Litmus, CausalityIsTransitive) {
    const auto threads = [](std::memory_order middle) -> Threads {
        return {[] { g_x.store(1, kRelaxed), g_y.store(1, kRelease); },
                [=] {
                    if (g_y.load(kAcquire) == 1) g_z.store(1, middle);
                },
                [] { g_seen[0] = g_z.load(kAcquire), g_seen[1] = g_x.load(kRelaxed); }};
    };
    EXPECT_EQ(outcomes(threads(kRelease), 2), (Outcomes{"00", "01", "11"}));
    EXPECT_EQ(outcomes(threads(kRelaxed), 2).count("10"), 1u);
}

// A read-modify-write hands on what it read from, even if it is relaxed; a store does not.
TEST(Litmus, ReleaseSequence) {
    const auto threads = [](bool update) -> Threads {
        return {[] { g_x.store(1, kRelaxed), g_y.store(1, kRelease); },
                [=] {
                    if (update)
                        g_y.fetch_add(2, kRelaxed);
                    else
                        g_y.store(3, kRelaxed);
                },
                [] { g_seen[0] = g_y.load(kAcquire), g_seen[1] = g_x.load(kRelaxed); }};
    };
    EXPECT_EQ(outcomes(threads(true), 2).count("30"), 0u);
    EXPECT_EQ(outcomes(threads(false), 2).count("30"), 1u);
}

TEST(Litmus, UpdatesAreAtomic) {
    const auto add = [] { g_x.fetch_add(1, kRelaxed); };
    const Outcome result =
        explore({"adds", clear, {add, add, add}, [] { require(g_x.load() == 3, "an addition is lost"); }});
    EXPECT_EQ(result.text, "");
    const auto badly = [] { g_x.store(g_x.load(kSeqCst) + 1, kSeqCst); };
    EXPECT_NE(explore({"adds badly", clear, {badly, badly}, [] { require(g_x.load() == 2, "lost"); }}).text, "");
}

TEST(Litmus, OneCompareExchangeWins) {
    const auto side = [](int &seen) {
        int none = 0;
        seen = g_x.compare_exchange_strong(none, 1, kRelaxed) ? 1 : 0;
    };
    EXPECT_EQ(outcomes({[=] { side(g_seen[0]); }, [=] { side(g_seen[1]); }}, 2), (Outcomes{"01", "10"}));
}

// An exchange in place of the store orders one side; the other needs the same.
TEST(Litmus, SequentiallyConsistentUpdates) {
    const auto threads = [](std::memory_order order) -> Threads {
        return {[=] { g_x.exchange(1, order), g_seen[0] = g_y.load(order == kAcqRel ? kAcquire : order); },
                [=] { g_y.exchange(1, order), g_seen[1] = g_x.load(order == kAcqRel ? kAcquire : order); }};
    };
    EXPECT_EQ(outcomes(threads(kSeqCst), 2).count("00"), 0u);
    EXPECT_EQ(outcomes(threads(kAcqRel), 2).count("00"), 1u);
}

TEST(Litmus, PlainMemoryRaces) {
    const auto threads = [](std::memory_order store) -> Threads {
        return {[=] { g_payload = 1, g_x.store(1, store); },
                [] {
                    if (g_x.load(kAcquire) == 1) g_seen[0] = g_payload;
                }};
    };
    const auto set_up = [] {
        clear();
        watch(g_payload, "payload");
    };
    EXPECT_EQ(explore({"release", set_up, threads(kRelease), nullptr}).text, "");
    EXPECT_NE(explore({"relaxed", set_up, threads(kRelaxed), nullptr}).text.find("data race on payload"),
              std::string::npos);
}

TEST(Litmus, LocksOrderPlainMemory) {
    const auto add = [] {
        pthread_mutex_lock(&g_mutex);
        ++g_payload;
        pthread_mutex_unlock(&g_mutex);
    };
    const auto set_up = [] {
        clear();
        watch(g_payload, "payload");
    };
    const Outcome result = explore({"locks", set_up, {add, add, add}, [] { require(g_payload == 3, "lost"); }});
    EXPECT_EQ(result.text, "");
    EXPECT_TRUE(result.complete);
}

TEST(Litmus, LoopsThatYieldEnd) {
    const Outcome result = explore({"spin",
                                    clear,
                                    {[] { g_x.store(1, kRelease); },
                                     [] {
                                         while (g_x.load(kAcquire) == 0) sched_yield();
                                     }},
                                    nullptr});
    EXPECT_EQ(result.text, "");
    EXPECT_TRUE(result.complete);
    const auto never = [] {
        while (g_x.load(kAcquire) == 0) sched_yield();
    };
    ::testing::FLAGS_gtest_death_test_style = "threadsafe";
    EXPECT_EXIT(explore({"never", clear, {never, [] { g_y.store(1); }}, nullptr}), ::testing::ExitedWithCode(1),
                "no thread can go on");
}

// 3 threads with 2 accesses each have 90 orders; those that differ only in accesses to different objects are one.
TEST(Litmus, RunsThatMakeNoDifferenceAreNotMade) {
    const auto on = [](std::atomic<int> &object) { object.fetch_add(1, kRelaxed), object.fetch_add(1, kRelaxed); };
    const Outcome apart = explore({"apart", clear, {[=] { on(g_x); }, [=] { on(g_y); }}, nullptr});
    EXPECT_EQ(apart.schedules, 1u) << "no object is shared";
    const Outcome shared = explore({"shared",
                                    clear,
                                    {[] { g_x.store(1, kRelaxed), g_y.store(1, kRelaxed); }, [] { g_x.load(kRelaxed); },
                                     [] { g_y.load(kRelaxed); }},
                                    nullptr});
    EXPECT_LE(shared.schedules - shared.cut_short, 9u);
}

} // namespace
} // namespace gs::models
