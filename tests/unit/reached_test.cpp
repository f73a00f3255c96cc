// SPDX-License-Identifier: Apache-2.0
// The order and the times in which the scanner reports points.
#include "core/completion/lanes.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <utility>
#include <vector>

namespace gs {
namespace {

std::vector<std::pair<uint64_t, uint64_t>> g_told; // numbers and times

struct Found : Point {
    Found(uint64_t place, uint64_t time) {
        number = place;
        outcome.time_ns = time;
        reached = [](Point &point, bool unwanted) noexcept {
            EXPECT_FALSE(unwanted);
            g_told.emplace_back(point.number, point.outcome.time_ns);
        };
    }
};

} // namespace

// The second point is found first; the first one, asked about because of that, has the later time.
TEST(ReachedPoints, TimesAgreeWithTheOrder) {
    Found first(1, 103), second(2, 100), third(3, 110), late(4, 105), last(5, 120);
    ReachedPoints points;
    g_told.clear();
    points.add(second);
    points.add(first);
    points.add(third);
    EXPECT_EQ(points.newest(), 3u);
    points.tell();
    EXPECT_TRUE(points.empty());
    points.add(late);
    points.tell();
    points.add(last);
    points.tell();
    const std::vector<std::pair<uint64_t, uint64_t>> wanted = {{1, 103}, {2, 103}, {3, 110}, {4, 110}, {5, 120}};
    EXPECT_EQ(g_told, wanted);
}

// From four lanes, each in its own order: the oldest of one lane may come last of all.
TEST(ReachedPoints, ManyPointsOfSeveralLanes) {
    constexpr uint64_t kLanes = 4, kEach = 100'000;
    std::deque<Found> found;
    ReachedPoints points;
    g_told.clear();
    for (uint64_t lane = kLanes; lane-- > 0;)
        for (uint64_t i = 0; i < kEach; ++i) points.add(found.emplace_back(kLanes * i + lane + 1, 1));
    EXPECT_EQ(points.newest(), kLanes * kEach);
    points.tell();
    ASSERT_EQ(g_told.size(), kLanes * kEach);
    for (uint64_t i = 0; i < kLanes * kEach; ++i) ASSERT_EQ(g_told[i].first, i + 1);
}

} // namespace gs
