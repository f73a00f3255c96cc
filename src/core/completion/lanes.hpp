// SPDX-License-Identifier: Apache-2.0
// The points that are not reached yet, by streams and the threads that added them: only the first one of a lane is asked about.
// Two threads may record in one order and come here in the other, so their points of one stream say nothing about each other.
// Used by the scanner's thread only.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>

#include "core/completion/pace.hpp"
#include "core/completion/point.hpp"

namespace gs {

struct Lane {
    uint64_t key = 0; // of the stream; 0: of one point
    uint64_t adder = 0;
    Point *first = nullptr;
    Point **last = &first;
    uint64_t since_ns = 0;   // from when on the first point's work counts
    uint64_t spun_ns = 0;    // while it was first
    uint64_t ask_ns = 0;     // when to ask next
    uint64_t done = 0;       // the point with this number is done, and so are those in front of it
    Point *failed = nullptr; // asked about before its turn, with a failure that its outcome has
    bool spins = false;      // until then
    bool told = false;       // the backend rings when the first point may be reached
    bool alerted = false;    // those who wait for the first point know that it is soon reached
    size_t place = 0;
    Lane *chain = nullptr; // of its bucket
};

extern LaneKeys g_lane_keys __attribute__((visibility("hidden"))); // of the scanner's

class Lanes {
public:
    // False when there is no memory for a new lane; the point is not taken then.
    bool add(Point &point) noexcept;
    // Takes the first point out. The lane is gone if it was its last one; then *lane is nullptr.
    Point *take_first(Lane *&lane, uint64_t now_ns) noexcept;

    size_t count() const noexcept { return count_; }
    Lane &at(size_t place) noexcept { return *lanes_[place]; }

private:
    static constexpr size_t kBuckets = 256;
    static size_t bucket_of(uint64_t key) noexcept { return (key * 0x9E3779B97F4A7C15u) >> 56; }
    Lane *find(uint64_t key, uint64_t adder) noexcept;
    Lane *make(uint64_t key, uint64_t adder) noexcept;
    void remove(Lane &lane) noexcept;

    Lane **lanes_ = nullptr;
    size_t count_ = 0;
    size_t room_ = 0;
    Lane *buckets_[kBuckets] = {};
    Lane *spare_ = nullptr; // linked by chain
};

// What the scanner asks the driver about the points of a lane.

// Is the first point of the lane reached, or will it never be? Then its outcome says so. *pending: a point of the lane that was asked
// about since the caller's turn began and is not reached; nullptr at first.
bool ask_first(ThreadBlock &thread, Lane &lane, const Point **pending) noexcept;

// Points that were found reached and are about to be reported, in the order of their numbers. Used by the scanner's thread.
class ReachedPoints {
public:
    bool empty() const noexcept { return found_ == nullptr; }
    uint64_t newest() const noexcept { return newest_; } // highest number; 0: there is none

    void add(Point &point) noexcept {
        release_event_of(point);
        newest_ = std::max(newest_, point.number);
        point.next = found_;
        found_ = &point;
    }
    // Times agree with the order: of two points the older one may have been asked about later, because the newer one was found
    // reached.
    void tell() noexcept {
        Point *oldest = sorted(std::exchange(found_, nullptr));
        newest_ = 0;
        while (Point *point = oldest) {
            oldest = point->next;
            told_ns_ = point->outcome.time_ns = std::max(point->outcome.time_ns, told_ns_);
            point->reached(*point, false);
        }
    }
    static void drop(Point &point) noexcept {
        release_event_of(point);
        point.reached(point, true);
    }

private:
    static Point *merged(Point *one, Point *other) noexcept {
        Point *first = nullptr;
        Point **last = &first;
        while (one && other) {
            Point *&older = one->number < other->number ? one : other;
            *last = older;
            last = &older->next;
            older = older->next;
        }
        *last = one ? one : other;
        return first;
    }
    // By their numbers, in n log n steps: lists[i] has 2^i points or none.
    static Point *sorted(Point *points) noexcept {
        Point *lists[64] = {};
        while (Point *list = points) {
            points = list->next;
            list->next = nullptr;
            size_t i = 0;
            for (; lists[i]; ++i) list = merged(std::exchange(lists[i], nullptr), list);
            lists[i] = list;
        }
        Point *all = nullptr;
        for (Point *list : lists) all = merged(all, list);
        return all;
    }

    Point *found_ = nullptr; // in the order in which they were added, turned round
    uint64_t newest_ = 0;
    uint64_t told_ns_ = 0; // time of the point that was reported last
};

} // namespace gs
