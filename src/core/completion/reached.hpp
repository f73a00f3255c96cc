// SPDX-License-Identifier: Apache-2.0
// Points that were found reached and are about to be reported, in the order of their numbers. Used by the scanner's thread.
#pragma once

#include <algorithm>

#include "core/completion/point.hpp"

namespace gs {

class ReachedPoints {
public:
    bool empty() const noexcept { return first_ == nullptr; }
    uint64_t newest() const noexcept { return first_ ? first_->number : 0; } // highest number

    // The newest points are found last as a rule, so a place is looked for from the end of the list; it is linked backwards.
    void add(Point &point) noexcept {
        release_event_of(point);
        Point **place = &first_;
        while (*place && (*place)->number > point.number) place = &(*place)->next;
        point.next = *place;
        *place = &point;
    }
    // Times agree with the order: of two points the older one may have been asked about later, because the newer one was found
    // reached.
    void tell() noexcept {
        Point *oldest = nullptr;
        while (Point *point = first_) {
            first_ = point->next;
            point->next = oldest;
            oldest = point;
        }
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
    Point *first_ = nullptr; // the one with the highest number
    uint64_t told_ns_ = 0;   // time of the point that was reported last
};

} // namespace gs
