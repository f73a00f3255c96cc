// SPDX-License-Identifier: Apache-2.0
#include "core/completion/lanes.hpp"

#include <algorithm>
#include <cstdlib>
#include <new>

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
        lane->history = history_of(point.work, point.device);
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

} // namespace gs
