// SPDX-License-Identifier: Apache-2.0
#include "core/completion/lanes.hpp"

#include <cstdlib>
#include <new>

#include "handle/grace.hpp"

namespace gs {

constinit LaneKeys g_lane_keys;

Lane *Lanes::find(uint64_t key, uint64_t adder) noexcept {
    Lane *lane = buckets_[bucket_of(key)];
    while (lane && (lane->key != key || lane->adder != adder)) lane = lane->chain;
    return lane;
}

Lane *Lanes::make(uint64_t key, uint64_t adder) noexcept {
    if (count_ == room_) {
        const size_t room = std::max<size_t>(2 * room_, 64);
        auto **grown = static_cast<Lane **>(std::realloc(lanes_, room * sizeof *lanes_));
        if (!grown) return nullptr;
        lanes_ = grown;
        room_ = room;
    }
    Lane *lane = spare_;
    if (lane)
        spare_ = lane->chain;
    else
        lane = new (std::nothrow) Lane;
    if (!lane) return nullptr;
    *lane = {};
    lane->last = &lane->first;
    lane->key = key;
    lane->adder = adder;
    lane->place = count_;
    lanes_[count_++] = lane;
    if (key != 0) {
        Lane *&bucket = buckets_[bucket_of(key)];
        lane->chain = bucket;
        bucket = lane;
        g_lane_keys.add(key);
    }
    return lane;
}

void Lanes::remove(Lane &lane) noexcept {
    if (lane.key != 0) {
        Lane **place = &buckets_[bucket_of(lane.key)];
        while (*place != &lane) place = &(*place)->chain;
        *place = lane.chain;
        g_lane_keys.remove(lane.key);
    }
    Lane *moved = lanes_[--count_];
    lanes_[lane.place] = moved;
    moved->place = lane.place;
    lane.chain = spare_;
    spare_ = &lane;
}

bool Lanes::add(Point &point) noexcept {
    Lane *lane = point.lane != 0 ? find(point.lane, point.adder) : nullptr;
    if (!lane) {
        lane = make(point.lane, point.adder);
        if (!lane) return false;
        lane->since_ns = lane->ask_ns = point.added_ns;
    }
    point.next = nullptr;
    *lane->last = &point;
    lane->last = &point.next;
    return true;
}

Point *Lanes::take_first(Lane *&lane, uint64_t now_ns) noexcept {
    Point *point = lane->first;
    lane->first = point->next;
    if (lane->failed == point) lane->failed = nullptr;
    if (!lane->first) {
        remove(*lane);
        lane = nullptr;
        return point;
    }
    lane->since_ns = std::max(now_ns, lane->first->added_ns);
    lane->spun_ns = 0;
    lane->told = lane->alerted = false;
    lane->ask_ns = now_ns;
    return point;
}

namespace {

// One question to the driver. True: the point is reached, or never will be, and has its outcome.
bool ask_point(ThreadBlock &thread, Point &point) noexcept {
    point.outcome = {GS_OK, 0, 0}; // not that of its use before
    if (point.event == 0) return true;
    bool done = false;
    const CallMark mark(thread); // a reset of the device waits for the question
    Status status = check_health(*point.device);
    if (status.ok()) status = point.device->backend->event_query(thread, point.device->ordinal, point.event, &done);
    if (status.ok() && !done) return false;
    if (!status.ok() && point.retries && check_health(*point.device).ok()) return false;
    if (!status.ok()) point.outcome = {status.code, thread.pending.native_code, 0};
    return true;
}

// The first point is done. A point that is done answers for those in front of it, so of many that are done a few are asked about,
// ever farther ahead. That spares the driver questions, and the events of the others stay with the processor of the thread that
// records them again. Returns the point that is not done; nullptr: it came to none.
const Point *look_ahead(ThreadBlock &thread, Lane &lane) noexcept {
    Point *known = lane.first;
    for (size_t stride = 1; known->next; stride *= 2) {
        Point *ahead = known;
        for (size_t i = 0; i < stride && ahead->next; ++i) ahead = ahead->next;
        if (!ask_point(thread, *ahead)) return ahead;
        if (ahead->outcome.status != GS_OK) {
            lane.failed = ahead; // its turn comes after those in front of it
            return nullptr;
        }
        if (ahead->event == 0) return nullptr; // does not speak for the others
        known = ahead;
        lane.done = known->number;
    }
    return nullptr;
}

} // namespace

bool ask_first(ThreadBlock &thread, Lane &lane, const Point **pending) noexcept {
    Point &point = *lane.first;
    if (&point == lane.failed) return true;
    if (&point == *pending) return false;
    if (point.number <= lane.done) {
        point.outcome = {GS_OK, 0, 0};
        return true;
    }
    if (!ask_point(thread, point)) return false;
    if (point.outcome.status == GS_OK && point.event != 0 && !lane.failed) *pending = look_ahead(thread, lane);
    return true;
}

} // namespace gs
