// SPDX-License-Identifier: Apache-2.0
// What threads that add points share with the scanner: the list of new points, its sleep, the keys of its lanes.
#include "core/completion/point.hpp"

#include <gtest/gtest.h>

namespace gs {

TEST(Inbox, HasTheNewestPointFirst) {
    Inbox inbox;
    const LaneKeys lanes;
    Point first, second;
    EXPECT_EQ(inbox.take(), nullptr);
    inbox.put(first, lanes);
    inbox.put(second, lanes);
    EXPECT_FALSE(inbox.empty());
    EXPECT_EQ(inbox.take(), &second);
    EXPECT_EQ(second.next, &first);
    EXPECT_EQ(first.next, nullptr);
    EXPECT_TRUE(inbox.empty());
    EXPECT_EQ(inbox.take(), nullptr);
}

TEST(Inbox, SaysWhetherTheScannerMustBeWoken) {
    Inbox inbox;
    LaneKeys lanes;
    Point alone, behind;
    behind.lane = 7;
    EXPECT_EQ(inbox.put(alone, lanes), kParked) << "before the scanner's first turn";
    inbox.awake();
    EXPECT_EQ(inbox.put(alone, lanes), kAwake);
    EXPECT_FALSE(inbox.begin_sleep(100)) << "there is a new point";
    (void)inbox.take();
    EXPECT_TRUE(inbox.begin_sleep(100));
    EXPECT_EQ(inbox.put(alone, lanes), 100u);
    EXPECT_EQ(inbox.put(behind, lanes), 100u);
    lanes.add(behind.lane);
    EXPECT_EQ(inbox.put(behind, lanes), kAwake) << "it asks about those in front of it anyway";
    EXPECT_EQ(inbox.put(alone, lanes), 100u) << "a point of no lane is in front";
    EXPECT_FALSE(inbox.end_sleep(100)) << "soon enough";
    EXPECT_TRUE(inbox.end_sleep(99));
    EXPECT_FALSE(inbox.end_sleep(99)) << "one thread rings";
}

TEST(LaneKeys, OneLaneHasAPlace) {
    LaneKeys lanes;
    uint64_t other = 2;
    EXPECT_FALSE(lanes.has(0)) << "points of no lane";
    lanes.add(1);
    EXPECT_TRUE(lanes.has(1));
    for (lanes.add(other); lanes.has(other); lanes.add(++other)) lanes.remove(other);
    lanes.remove(other);
    EXPECT_TRUE(lanes.has(1)) << "the end of a lane whose place was taken";
    lanes.remove(1);
    EXPECT_FALSE(lanes.has(1));
    lanes.add(other);
    EXPECT_TRUE(lanes.has(other));
}

} // namespace gs
