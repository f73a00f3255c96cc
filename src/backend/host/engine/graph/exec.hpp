// SPDX-License-Identifier: Apache-2.0
// An executable: a graph as it was when it was instantiated, and the plan made of it. The engine's graph lock guards it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "backend/host/engine/graph/graph.hpp"

namespace gs::host {

// A graph prepared to be launched many times: its nodes, child graphs resolved, on as many streams of the engine's own
// ("lanes") as branches may run at the same time. A plan does not change; a launch in flight keeps the one it began with.

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

class Record;

enum ExecFlags : uint32_t {
    kExecAutoFree = 1u << 0, // a launch frees what the one before left allocated
    kExecNodePriorities = 1u << 1,
};

struct GraphExec {
    Device *device = nullptr;
    uint32_t flags = 0;
    uint64_t source = 0;               // the graph that it was made or updated from
    std::unique_ptr<Graph> definition; // its nodes know by `origin` which nodes they came from
    Ref<Plan> plan;
    Record *last_end = nullptr; // of the last launch
};

// What an update found; the numbers are CUDA's.
enum class UpdateResult : uint8_t {
    Success = 0,
    Error = 1,
    TopologyChanged = 2,
    NodeTypeChanged = 3,
    FunctionChanged = 4,
    ParametersChanged = 5,
    NotSupported = 6,
    UnsupportedFunctionChange = 7,
    AttributesChanged = 8,
};

struct UpdateReport {
    UpdateResult result = UpdateResult::Success;
    uint64_t node = 0; // of the executable (its origin) that differs; 0: none
    uint64_t from = 0; // of the graph
};

// Compares, and writes the graph's parameters into the definition if they match. Throws bad_alloc; the definition is
// useless then.
UpdateReport update_definition(Graph &definition, const Graph &from);
// The node that came from the node with that id, in the definition or in a graph within it; nullptr: none.
GraphNode *find_origin(Graph &definition, uint64_t id) noexcept;
// May the node of an executable get these parameters?
UpdateResult may_become(const NodeBody &present, const NodeBody &wanted) noexcept;

// The graphs and nodes that users may name, by id, and executables by the graphs they use. The engine's graph lock guards it.
class GraphTable {
public:
    GraphIds ids;

    // With the graphs within it. Throws bad_alloc, and then nothing was added.
    void add(Graph &graph);
    void remove(Graph &graph) noexcept;
    void add(GraphNode &node); // with the graphs in it
    void remove(GraphNode &node) noexcept;
    // Has the graph an executable that is not this one?
    bool has_other_exec(uint64_t source, const GraphExec *exec) const noexcept;
    // The graph that the executable was made or updated from; 0: the executable ends. Throws bad_alloc for others.
    void set_source(GraphExec &exec, uint64_t source);
    Graph *graph(uint64_t id) const noexcept { return find(graphs_, id); }
    GraphNode *node(uint64_t id) const noexcept { return find(nodes_, id); }

private:
    template <typename T>
    using Table = std::map<uint64_t, T *>;
    template <typename T>
    static T *find(const Table<T> &table, uint64_t id) noexcept {
        const auto found = table.find(id);
        return found == table.end() ? nullptr : found->second;
    }
    Table<Graph> graphs_;
    Table<GraphNode> nodes_;
    std::multimap<uint64_t, GraphExec *> execs_; // by their graphs
};

} // namespace gs::host
