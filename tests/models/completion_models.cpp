// SPDX-License-Identifier: Apache-2.0
// New points and the scanner's sleep: thread 1 is the scanner, which goes to sleep until it is woken.
#include "core/completion/point.hpp"
#include "models/models.hpp"

namespace gs::models {
namespace {

constexpr uint64_t kLane = 7;

Inbox g_inbox;
LaneKeys g_lanes;
Point g_point;
bool g_rung, g_slept;
Point *g_taken;

void renew(bool has_lane) {
    g_inbox.awake();
    (void)g_inbox.take();
    g_lanes.remove(kLane);
    if (has_lane) g_lanes.add(kLane);
    g_point.lane = kLane;
    g_point.next = nullptr;
    g_rung = g_slept = false;
    g_taken = nullptr;
    watch(g_point.next, "next of the point");
}

void add() {
    if (g_inbox.put(g_point, g_lanes) != kAwake) g_rung = g_inbox.end_sleep(0);
}

void take() {
    g_taken = g_inbox.take();
    if (g_taken) require(!g_taken->next, "a point is taken before it is whole");
}

void sleep() {
    g_slept = g_inbox.begin_sleep(kParked);
    if (g_slept) return;
    g_inbox.awake();
    take();
    require(g_taken, "the scanner stays awake for a point that is not there");
}

void check() {
    require(!g_slept || g_taken || g_rung, "the scanner sleeps, and no thread wakes it for the new point");
    require(g_taken || !g_inbox.empty(), "the new point is lost");
}

} // namespace

Model added_to_a_sleeper() {
    return {"added_to_a_sleeper",
            [] { renew(false); },
            {add,
             [] {
                 take();
                 if (!g_taken) sleep();
             }},
            check};
}

// The scanner gives up the lane that the point would have been behind.
Model added_behind_a_lane() {
    return {"added_behind_a_lane",
            [] { renew(true); },
            {add,
             [] {
                 g_lanes.remove(kLane);
                 sleep();
             }},
            check};
}

} // namespace gs::models
