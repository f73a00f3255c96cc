// SPDX-License-Identifier: Apache-2.0
// Random programs of captures and replays: forks and joins through events, launches beside live work and in other captures,
// event nodes, updates, executables and graphs destroyed while launches are pending. Every program is legal.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "oracle/program.hpp"

namespace gs::oracle {

inline constexpr int kGraphStreams = 4;
inline constexpr int kGraphEvents = 4; // of any use
inline constexpr int kJoinEvent = 4;   // joins forks before a capture ends
inline constexpr int kOutEvent = 5;    // two that nodes record, and live streams wait for
inline constexpr int kInEvent = 7;     // two that live streams record, and nodes wait for
inline constexpr int kAllEvents = 9;
inline constexpr int kMostExecs = 6;
inline constexpr int kMostRuns = 8; // of one work
inline constexpr int kMostInstances = 384;

enum class GraphKind : uint8_t {
    Work,    // a host function: at once, or in each launch if the stream is being captured
    Record,  // event on stream
    Wait,    // stream for event; may pull the stream into a capture
    Outside, // a node of an event: out events are recorded, in events waited for
    Begin,   // capture; other: mode
    End,     // other: the executable that the graph becomes
    Launch,  // executable on stream; in a capture it becomes a child graph
    Destroy, // executable
    Query,   // event
    Hold,    // the stream waits for the gate
    Sync,    // a stream that does not wait for the gate
};

struct GraphOp {
    GraphKind kind = GraphKind::Work;
    uint8_t thread = 0;
    uint8_t stream = 0;
    uint8_t other = 0; // event, executable, mode
    bool flag = false;
    uint16_t work = 0;
};

struct GraphProgram {
    uint64_t seed = 0;
    int works = 0;
    bool elide = true;
    std::vector<GraphOp> ops;
};

GraphProgram generate_graphs(uint64_t seed);
std::string describe(const GraphOp &op);
std::string describe(const GraphProgram &program);

} // namespace gs::oracle
