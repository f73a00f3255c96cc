// SPDX-License-Identifier: Apache-2.0
// Random programs over timelines and events, the same one for the same seed. Waits are submitted long before their
// signals, signals before what they stand behind, and streams wait for each other in all ways that end.
//
// A program begins as a witness: an order in which everything could be executed one after the other, so that it ends. What
// comes before what follows from the witness. The operations are then submitted in another order, as far as the rules of
// the library allow that.
#pragma once

#include <bitset>
#include <cstdint>
#include <string>
#include <vector>

#include "oracle/program.hpp"

namespace gs::oracle {

inline constexpr int kTimelineStreams = 4;
inline constexpr int kTimelines = 2;
inline constexpr int kTimelineEvents = 2;
inline constexpr int kMostTimelineOps = 96;

enum class TimelineKind : uint8_t {
    Hold,       // the stream waits for the gate, which is opened at the end
    Work,       // a host function
    Signal,     // of a stream
    Wait,       // of a stream
    HostSignal, // of the host, once all smaller values are reached: it waits for them
    Circle,     // a signal that its own stream waits for: DEADLOCK
    Read,       // the value, by the host
    Record,     // event on stream
    WaitEvent,  // stream for event
};

// Operations by their place in the witness.
using TimelineSet = std::bitset<kMostTimelineOps>;

struct TimelineOp {
    TimelineKind kind = TimelineKind::Work;
    uint8_t stream = 0;
    uint8_t object = 0;   // timeline, event
    uint16_t value = 0;   // of the timeline
    uint16_t witness = 0; // its place there
    TimelineSet before;   // what has been executed when it is
};

struct TimelineProgram {
    uint64_t seed = 0;
    std::vector<TimelineOp> ops;       // as they are submitted
    uint16_t reached[kTimelines] = {}; // the last values
};

TimelineProgram generate_timelines(uint64_t seed);
std::string describe(const TimelineOp &op);
std::string describe(const TimelineProgram &program);

} // namespace gs::oracle
