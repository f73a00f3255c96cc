// SPDX-License-Identifier: Apache-2.0
// The signals of timelines, and the waits that none of them meets yet.
//
// Signals of a timeline happen in the order of their values, so that a clock of each covers all before it. A signal is
// announced before the call that submits it, because its effect may be seen before that returns; it counts for waits in
// streams once the call has succeeded.
#pragma once

#include <map>

#include "tools/check/vector_clock.hpp"

namespace gs::check {

class TimelineOrder {
public:
    // What the signals of smaller values have: a signal comes after them.
    VectorClock before(uint64_t timeline, uint64_t value) const;
    // The clock carries no wait that is met. Returns a number for end(). *out_late: a larger value was signalled before.
    uint64_t announce(uint64_t timeline, uint64_t value, const VectorClock &clock, bool *out_late);
    void end(uint64_t timeline, uint64_t number, bool happens);

    // The clock after a wait of a stream: learns what it can, else carries the wait.
    // reached: the timeline had the value before, by signals that were announced or are not known.
    void wait(uint64_t timeline, const OpenWait &wait, bool reached, VectorClock &clock);
    // What has happened when the timeline has at least the value; exact: and no larger one.
    VectorClock reached(uint64_t timeline, uint64_t value, bool exact) const;
    // No wait for it waits any longer. all: all that has happened so far.
    void close(uint64_t timeline, const VectorClock &all);

private:
    static constexpr size_t kMostSignals = 64; // of each timeline; earlier ones count as one
    struct Signal {
        uint64_t value = 0;
        uint64_t number = 0;
        bool happens = false;
        VectorClock clock;
    };
    struct Timeline {
        std::vector<Signal> signals; // by value
        VectorClock older;
        std::vector<std::shared_ptr<OpenWait>> waits;
    };
    static void drop_old(Timeline &timeline);
    static void meet(Timeline &timeline, const Signal &signal);

    std::map<uint64_t, Timeline> timelines_;
    uint64_t last_number_ = 0;
};

} // namespace gs::check
