// SPDX-License-Identifier: Apache-2.0
#include "tools/check/checker.hpp"

#include <algorithm>

namespace gs::check {

// Makes `at` a border between segments if it lies inside one.
void History::split(uintptr_t at) {
    auto after = segments_.upper_bound(at);
    if (after == segments_.begin()) return;
    const auto found = std::prev(after);
    if (found->first == at || found->second.end <= at) return;
    Segment &right = segments_.emplace_hint(after, at, Segment{})->second;
    right.end = found->second.end;
    right.reads = found->second.reads;
    right.write = found->second.write;
    for (const uint32_t read : right.reads) accesses_.hold(read);
    if (right.write != kNoAccess) accesses_.hold(right.write);
    found->second.end = at;
}

// Makes segments of the bytes in [begin, end) that have none. Returns the first segment of the range.
History::Segments::iterator History::fill(uintptr_t begin, uintptr_t end) {
    auto next = segments_.lower_bound(begin);
    if (next != segments_.end() && next->first == begin && next->second.end == end) return next; // as most often
    split(begin);
    split(end);
    next = segments_.lower_bound(begin);
    for (uintptr_t at = begin; at < end; ++next) {
        if (next == segments_.end() || next->first > at) {
            const uintptr_t until = next == segments_.end() ? end : std::min(end, next->first);
            next = segments_.emplace_hint(next, at, Segment{});
            next->second.end = until;
        }
        at = next->second.end;
    }
    return segments_.find(begin);
}

void History::compare(uint32_t earlier, const VectorClock &clock, std::vector<Access> &out_races) const {
    const Access &other = accesses_.at(earlier);
    if (clock.at(other.line) >= other.epoch) return;
    const bool known = std::any_of(out_races.begin(), out_races.end(),
                                   [&](const Access &race) { return race.number == other.number; });
    if (!known) out_races.push_back(other);
}

// Reads that are ordered before this one need not be remembered: what comes after this one comes after them too.
void History::read(Segment &segment, uint32_t place, const VectorClock &clock) {
    auto kept = segment.reads.begin();
    for (const uint32_t one : segment.reads) {
        const Access &other = accesses_.at(one);
        if (clock.at(other.line) >= other.epoch)
            accesses_.release(one);
        else
            *kept++ = one;
    }
    segment.reads.erase(kept, segment.reads.end());
    segment.reads.push_back(place);
    accesses_.hold(place);
}

void History::clear(Segment &segment) noexcept {
    for (const uint32_t read : segment.reads) accesses_.release(read);
    segment.reads.clear();
    if (segment.write != kNoAccess) accesses_.release(segment.write);
    segment.write = kNoAccess;
}

void History::add(const Access &access, const VectorClock &clock, std::vector<Access> &out_races) {
    const uint32_t place = accesses_.add(access);
    auto segment = fill(access.begin, access.end);
    if (!writes(access.kind)) {
        for (; segment != segments_.end() && segment->first < access.end; ++segment) {
            if (segment->second.write != kNoAccess) compare(segment->second.write, clock, out_races);
            read(segment->second, place, clock);
        }
        accesses_.release(place);
        return;
    }
    const auto first = segment;
    while (segment != segments_.end() && segment->first < access.end) {
        if (segment->second.write != kNoAccess) compare(segment->second.write, clock, out_races);
        for (const uint32_t read : segment->second.reads) compare(read, clock, out_races);
        clear(segment->second);
        segment = segment == first ? std::next(segment) : segments_.erase(segment);
    }
    first->second.end = access.end;
    first->second.write = place; // takes over the hold
}

void History::forget(uintptr_t begin, uintptr_t end) {
    split(begin);
    split(end);
    for (auto segment = segments_.lower_bound(begin); segment != segments_.end() && segment->first < end;) {
        clear(segment->second);
        segment = segments_.erase(segment);
    }
}

} // namespace gs::check
