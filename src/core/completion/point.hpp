// SPDX-License-Identifier: Apache-2.0
// Point: a place in the work of a device whose completion is reported, marked by a driver event of the library's own.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "core/slots.hpp"

namespace gs {

struct Outcome {
    gs_status_t status;
    int32_t native_code;
    uint64_t time_ns; // when it was seen
};

// A point that is used again comes from the scanner's cache, line by line. So the members that an add writes come
// first, in one line of 64 bytes if the point is aligned so.
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

// What threads that add points share with the scanner: the new points, how long it sleeps, and of which streams it has lanes.

// Of which streams the scanner has lanes, for the threads that add points. A point of such a stream is reached after
// those that were recorded earlier, about which the scanner asks in time. So the thread that adds it neither reads the
// clock nor wakes the scanner. If another thread has recorded later and come first, the scanner sees this one when it
// next wakes up, which it does soon.

class LaneKeys {
public:
    // Any thread. False also where another lane has the place. The load needs no order: a thread that has put a point
    // in has looked whether the scanner sleeps, and the ends of lanes precede a sleep that it sees (model
    // added_behind_a_lane).
    bool has(uint64_t key) const noexcept {
        return key != 0 && keys_[place_of(key)].load(std::memory_order_relaxed) == key;
    }

    // The scanner. The first of several lanes of a stream that ends takes the key with it; the next point then wakes the scanner.
    void add(uint64_t key) noexcept {
        std::atomic<uint64_t> &place = keys_[place_of(key)];
        if (place.load(std::memory_order_relaxed) == 0) place.store(key, std::memory_order_relaxed);
    }
    void remove(uint64_t key) noexcept {
        std::atomic<uint64_t> &place = keys_[place_of(key)];
        if (place.load(std::memory_order_relaxed) == key) place.store(0, std::memory_order_relaxed);
    }

private:
    static constexpr uint32_t kBits = 9;
    static size_t place_of(uint64_t key) noexcept { return (key * 0x9E3779B97F4A7C15u) >> (64 - kBits); }
    alignas(64) std::atomic<uint64_t> keys_[1u << kBits] = {};
};

// The new points, and how long the scanner sleeps: the two words that each add has to touch, on one cache line.
//
// The scanner announces its sleep and then looks for new points once more; a thread puts its point in and then looks whether
// the scanner sleeps. One of them sees the other.

inline constexpr uint64_t kAwake = 0;
inline constexpr uint64_t kParked = UINT64_MAX; // asleep until it is woken

class alignas(64) Inbox {
public:
    // Threads that add points. The point is the scanner's from then on. Returns until when the scanner sleeps, CLOCK_MONOTONIC
    // or kParked; kAwake if it need not be woken, because it is awake or has the point's lane.
    uint64_t put(Point &point, const LaneKeys &lanes) noexcept {
        const uint64_t lane = point.lane;
        Point *newest = newest_.load(std::memory_order_relaxed);
        do point.next = newest; // model added_to_a_sleeper
        while (!newest_.compare_exchange_weak(newest, &point, std::memory_order_seq_cst));
        const uint64_t until = asleep_until(); // model added_to_a_sleeper
        return until == kAwake || lanes.has(lane) ? kAwake : until;
    }
    // Ends a sleep that lasts longer than `latest`. True: the caller must ring; of several threads one does.
    bool end_sleep(uint64_t latest) noexcept {
        uint64_t until = asleep_until_.load(std::memory_order_relaxed);
        while (until != kAwake && until > latest)
            if (asleep_until_.compare_exchange_weak(until, kAwake, std::memory_order_relaxed)) return true;
        return false;
    }

    // The scanner. Newest first. If there is none, the line stays with those that add.
    Point *take() noexcept {
        if (!newest_.load(std::memory_order_relaxed)) return nullptr;
        return newest_.exchange(nullptr, std::memory_order_acquire); // model added_to_a_sleeper
    }
    // False: a point has come, so there is nothing to sleep for. The keys then name only lanes that the scanner has
    // (model added_behind_a_lane).
    bool begin_sleep(uint64_t until) noexcept {
        asleep_until_.store(until, std::memory_order_seq_cst); // model added_to_a_sleeper
        return empty();
    }
    void awake() noexcept { asleep_until_.store(kAwake, std::memory_order_relaxed); }

    // model added_to_a_sleeper
    uint64_t asleep_until() const noexcept { return asleep_until_.load(std::memory_order_seq_cst); }
    bool empty() const noexcept { return !newest_.load(std::memory_order_seq_cst); }

private:
    std::atomic<Point *> newest_{nullptr};
    std::atomic<uint64_t> asleep_until_{kParked};
};

// Marking points: what the thread that adds one does before the scanner gets it. All fill the point but for `reached`; after a
// failure it is as it was. Those of streams and events run under the caller's CallMark.

// The end of the stream's work so far. CAPTURING: the stream is being captured, and nothing was put into it.
Status mark_stream(ThreadBlock &thread, StreamSlot &stream, Point &point) noexcept;
// The event's current record.
Status mark_event(ThreadBlock &thread, EventSlot &event, Point &point) noexcept;

// The end of all work of the device so far. Not under a CallMark, since streams that were just destroyed are collected. CAPTURING: a
// stream of the device is being captured.
Status mark_device(ThreadBlock &thread, Device &device, Point &point) noexcept __attribute__((cold));

// Records a driver event behind the stream's work so far, but for a stream that is being captured: CAPTURING.
Status record_native(ThreadBlock &thread, StreamSlot &stream, uintptr_t event) noexcept;

// Returns the key of the stream's lane. The per-thread stream is another one on every thread.
uint64_t lane_of(const ThreadBlock &thread, const StreamSlot &stream) noexcept;

// The scanner: one thread that finds out which points are reached, and tells in an order that agrees with happens-before.
// See docs/design/completion.md.

// Starts the scanner's thread if it does not run yet.
Status start_scanner() noexcept;

// The scanner runs, and point.event was recorded by this thread. Takes the point over.
void watch_point(Point &point) noexcept;

// How often the scanner's thread has woken up, and how often a thread that added a point has woken it. For tests.
uint64_t scanner_turns() noexcept;
uint64_t scanner_wakes() noexcept;

} // namespace gs
