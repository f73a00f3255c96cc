// SPDX-License-Identifier: Apache-2.0
// Random programs of captures and replays: forks and joins through events, launches beside live work, event nodes, graphs made
// node by node, updates. Executables and graphs are destroyed while launches are pending. Every program is legal.
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
    Build,   // other: the executable of a graph made node by node
    Update,  // executable of such a graph, by one of the same shape with other works
    Launch,  // executable on a stream that is not being captured
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
    uint16_t work = 0;  // Build, Update: the first of as many as there are nodes
    uint32_t shape = 0; // of Build and Update
};

struct GraphProgram {
    uint64_t seed = 0;
    int works = 0;
    bool elide = true;
    std::vector<GraphOp> ops;
};

// A graph made by hand: by node, the nodes that it depends on.
using GraphShape = std::vector<std::vector<int>>;
GraphShape shape_of(uint32_t shape);
GraphProgram generate_graphs(uint64_t seed);
std::string describe(const GraphOp &op);
std::string describe(const GraphProgram &program);

} // namespace gs::oracle
