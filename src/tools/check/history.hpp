// SPDX-License-Identifier: Apache-2.0
// The last accesses to each byte: the last write, and of each line the last read since. Bytes with the same accesses lie in
// one segment; the segments are kept in the order of their addresses and do not overlap.
//
// That is enough to find the first race on each byte. An access that is ordered after the last write is also ordered
// after all that this write came after.
#pragma once

#include <map>

#include "tools/check/access.hpp"
#include "tools/check/vector_clock.hpp"

namespace gs::check {

class History {
public:
    explicit History(Lines &lines) noexcept : accesses_(lines) {}
    // Remembers the access to [begin, end), at least one byte. clock: what its line knows. out_races gets the earlier
    // accesses that race with it, each once. After std::bad_alloc the history can only be destroyed.
    void add(const Access &access, const VectorClock &clock, std::vector<Access> &out_races);
    // Nothing is known about these bytes any more.
    void forget(uintptr_t begin, uintptr_t end);
    size_t segments() const noexcept { return segments_.size(); }

private:
    static constexpr uint32_t kNoAccess = UINT32_MAX;
    struct Segment {
        uintptr_t end = 0;
        uint32_t write = kNoAccess;
        std::vector<uint32_t> reads;
    };
    using Segments = std::map<uintptr_t, Segment>;
    void split(uintptr_t at);
    Segments::iterator fill(uintptr_t begin, uintptr_t end);
    void compare(uint32_t earlier, const VectorClock &clock, std::vector<Access> &out_races) const;
    void read(Segment &segment, uint32_t place, const VectorClock &clock);
    void clear(Segment &segment) noexcept;

    Accesses accesses_;
    Segments segments_;
};

} // namespace gs::check
