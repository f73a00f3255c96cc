// SPDX-License-Identifier: Apache-2.0
// Point: a place in the work of a device whose completion is reported, marked by a driver event of the library's own.
#pragma once

#include <atomic>

#include "core/slots.hpp"

namespace gs {

struct Outcome {
    gs_status_t status;
    int32_t native_code;
    uint64_t time_ns; // when it was seen
};

struct Point {
    Device *device = nullptr;
    uintptr_t event = 0; // 0: reached already
    bool held = false;   // the event is one that hold_record() keeps, not one of the spare events
    bool keeps = false;  // its driver event stays with it for its next use
    uintptr_t kept = 0;  // that event
    Device *kept_device = nullptr;
    uint64_t lane = 0;   // key of the stream; points of one lane are reached in the order of their numbers. 0: none
    uint64_t work = 0;   // key of the learner
    uint64_t number = 0; // in the order of the calls that added them; the scanner counts
    uint64_t added_ns = 0;
    Outcome outcome{};
    std::atomic<bool> dropped{false}; // its completion is not wanted any more
    Point *next = nullptr;
    // Called once, on the scanner's thread or on that of the caller of watch_point(); it takes the point over. dropped: the
    // outcome says nothing.
    void (*reached)(Point &point, bool dropped) noexcept = nullptr;
    // May be nullptr. Called at most once, alert_lead_ns() before the point is probably reached.
    void (*soon)(Point &point) noexcept = nullptr;
};

// Takes the event from the point: it is kept for its next use or returned to the spare ones; a record is released.
void release_event_of(Point &point) noexcept;
// Returns the kept event to the spare ones.
void drop_kept_event(Point &point) noexcept;

} // namespace gs
