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

// What is used again comes from the scanner's cache, line by line, so the members that an add writes come first: a line of 64 bytes
// in what is aligned so.
struct Point {
    Device *device = nullptr;
    uintptr_t event = 0;   // 0: reached already
    uintptr_t kept = 0;    // driver event of the device that stays with the point for its next use
    uint64_t lane = 0;     // key of the stream; 0: none
    uint64_t adder = 0;    // serial of the thread; what it adds to one lane is reached in the order of the numbers
    uint64_t added_ns = 0; // CLOCK_MONOTONIC; 0: behind others of its lane
    Point *next = nullptr;

    uint64_t number = 0; // in the order of the calls that added them; the scanner counts
    Outcome outcome{};
    bool held = false;                // the event is one that hold_record() keeps, not one of the spare events
    bool keeps = false;               // its driver event stays with it
    bool retries = false;             // a question that fails is asked again, unless its device has failed
    std::atomic<bool> dropped{false}; // its completion is not wanted any more
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
