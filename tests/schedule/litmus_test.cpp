// SPDX-License-Identifier: Apache-2.0
// The scheduler itself, on programs whose outcomes are known: it finds what can happen, each
// interleaving once, and nothing else.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>

#include "schedule/scheduler/explore.hpp"

namespace gs::schedule {
namespace {

std::atomic<int> g_x, g_y;
int g_seen_x, g_seen_y;

void clear() {
    g_x = g_y = 0;
    g_seen_x = g_seen_y = -1;
}

void add_badly(std::atomic<int> &number) { number.store(number.load() + 1); }

Scenario lost_update() {
    return {"two threads load, add and store", clear, {[] { add_badly(g_x); }, [] { add_badly(g_x); }}, [] {
                require(g_x == 2, "an addition is lost");
            }};
}

// Dekker's handshake: each thread announces itself and then looks for the other one.
Scenario handshake(std::memory_order order) {
    const auto side = [order](std::atomic<int> &own, std::atomic<int> &other, int &seen) {
        own.store(1, order);
        seen = other.load(order);
    };
    return {"two threads announce themselves and look",
            clear,
            {[=] { side(g_x, g_y, g_seen_x); }, [=] { side(g_y, g_x, g_seen_y); }},
            [] { require(g_seen_x == 1 || g_seen_y == 1, "neither thread sees the other"); }};
}

// The same by a fence instead of ordered stores.
Scenario fenced_handshake() {
    const auto side = [](std::atomic<int> &own, std::atomic<int> &other, int &seen) {
        own.store(1, std::memory_order_relaxed);
        std::atomic_thread_fence(std::memory_order_seq_cst);
        seen = other.load(std::memory_order_relaxed);
    };
    return {"two threads announce themselves, fence and look",
            clear,
            {[=] { side(g_x, g_y, g_seen_x); }, [=] { side(g_y, g_x, g_seen_y); }},
            [] { require(g_seen_x == 1 || g_seen_y == 1, "neither thread sees the other"); }};
}

// Stores leave the buffer in their order, so this holds on x86 whatever the schedule.
Scenario message() {
    return {"a message and its flag",
            clear,
            {[] {
                 g_x.store(1, std::memory_order_relaxed);
                 g_y.store(1, std::memory_order_relaxed);
             },
             [] {
                 if (g_y.load(std::memory_order_relaxed) == 1) g_seen_x = g_x.load(std::memory_order_relaxed);
             }},
            [] { require(g_seen_x != 0, "the flag came before the message"); }};
}

} // namespace

TEST(Litmus, ALostUpdateTakesOnePreemption) {
    EXPECT_FALSE(explore(lost_update(), {.bound = 0, .random = 0, .exact = true}).failed);
    const Outcome outcome = explore(lost_update(), {.bound = 1, .random = 0, .exact = true});
    EXPECT_TRUE(outcome.failed);
    EXPECT_TRUE(outcome.repeated);
    EXPECT_LE(outcome.schedules, 20u);
}

TEST(Litmus, RandomSchedulesFindItToo) { expect_broken(lost_update(), {.bound = 0, .random = 200}); }

TEST(Litmus, BufferedStoresHideThreadsFromEachOther) {
    expect_clean(handshake(std::memory_order_relaxed), {.bound = 3});
    expect_broken(handshake(std::memory_order_relaxed), {.bound = 1, .buffered = true});
}

TEST(Litmus, OrderedStoresAndFencesDoNot) {
    expect_clean(handshake(std::memory_order_seq_cst), {.bound = 4, .buffered = true});
    expect_clean(fenced_handshake(), {.bound = 4, .buffered = true});
}

TEST(Litmus, BufferedStoresKeepTheirOrder) { expect_clean(message(), {.bound = 4, .buffered = true}); }

// All interleavings of two threads with n and m steps: (n + m)! / (n! m!), each found once. The accesses of g_y make the
// steps; with enough preemptions the search is exhaustive.
TEST(Litmus, EachScheduleIsRunOnce) {
    static std::vector<std::string> orders;
    static std::string order;
    const auto steps = [](char name, int count) {
        for (int i = 0; i < count; ++i) {
            g_y.fetch_add(1);
            order += name;
        }
    };
    orders.clear();
    const Scenario scenario{"three steps and two",
                            [] { order.clear(); },
                            {[=] { steps('a', 3); }, [=] { steps('b', 2); }},
                            [] { orders.push_back(order); }};
    const Outcome outcome = explore(scenario, {.bound = 5, .random = 0});
    EXPECT_TRUE(outcome.complete);
    std::sort(orders.begin(), orders.end());
    orders.erase(std::unique(orders.begin(), orders.end()), orders.end());
    EXPECT_EQ(orders.size(), 10u);
}

} // namespace gs::schedule
