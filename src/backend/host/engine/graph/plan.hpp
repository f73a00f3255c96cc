// SPDX-License-Identifier: Apache-2.0
// A graph prepared to be launched many times: its nodes, child graphs resolved, on as many streams of the engine's own
// ("lanes") as branches may run at the same time. A plan does not change; a launch in flight keeps the one it began with.
#pragma once

#include <cstdint>
#include <vector>

#include "backend/host/engine/graph/graph.hpp"

namespace gs::host {

class Engine;
struct Plan;
struct Stream;

// The lanes of one level of priority exist once a launch has needed them.
class LaneStreams final : public Counted<LaneStreams> {
public:
    explicit LaneStreams(Engine &engine) noexcept : engine_(engine) {}
    // The stream of a lane for launches into streams of that priority; nullptr: no memory. Throws bad_alloc.
    Stream *at(int32_t level, const Plan &plan, uint32_t lane);

private:
    friend class Counted<LaneStreams>;
    ~LaneStreams();
    struct Level {
        int32_t priority;
        std::vector<Stream *> streams;
    };
    Engine &engine_;
    std::vector<Level> levels_;
};

struct PlanNode {
    NodeBody body;
    uint64_t id = 0; // GraphNode::origin
    bool enabled = true;
    uint32_t lane = 0;
    bool root = false;           // depends on no other node
    bool sink = false;           // no other node depends on it
    bool last = false;           // of its lane
    bool marks = false;          // others wait for its record: nodes of other lanes, or the end of the launch
    std::vector<uint32_t> after; // all that it depends on
    std::vector<uint32_t> waits; // those of them in other lanes
    std::vector<Ref<Plan>> bodies;
};

struct PlanLane {
    Device *device;
    int32_t priority; // of its nodes, if those count
    uint32_t tail;    // its last node
};

struct Plan final : Counted<Plan> {
    std::vector<PlanNode> nodes; // each behind all that it depends on
    std::vector<PlanLane> lanes;
    std::vector<Ref<Keep>> kept;
    std::vector<Ref<GraphCondition>> assigned; // get their defaults at each launch
    Ref<LaneStreams> streams;
    Device *device = nullptr;
    bool node_priorities = false;
    bool sleeps = false;
};

// nullptr: the graph, or one within it, has a cycle. before: a plan of a graph of the same shape, whose lanes continue to be
// used; may be null. Throws bad_alloc.
Ref<Plan> make_plan(Engine &engine, const Graph &graph, bool node_priorities, const Plan *before);

// A condition node of a launch: when its lane gets there, the word is read and a body is launched, perhaps repeatedly.
class Record;

struct Branch {
    Ref<Plan> whole; // of the launch: it has the plan of the node, and keeps what the launch refers to
    const Plan *plan;
    uint32_t node;
    int32_t level;         // of the launch
    Record *end = nullptr; // of the body in progress
    bool ran = false;
};
void end_branch(Branch *branch) noexcept;

} // namespace gs::host
