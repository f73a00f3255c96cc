// SPDX-License-Identifier: Apache-2.0
#include "backend/host/engine/graph/exec.hpp"

#include <algorithm>
#include <new>

namespace gs::host {
namespace {

using Indices = std::vector<uint32_t>;

class Builder {
public:
    Builder(Engine &engine, Plan &plan, const Plan *before) noexcept : engine_(engine), plan_(plan), before_(before) {}

    // Appends the graph's nodes; those without a dependency follow `entry`.
    bool flatten(const Graph &graph, const Indices &entry, Indices *out_sinks) {
        const std::vector<const GraphNode *> order = in_order(graph);
        if (order.size() != graph.nodes.size()) return false;
        std::vector<uint32_t> place(graph.nodes.size());
        for (const GraphNode *node : order) {
            Indices after;
            for (const GraphNode *earlier : node->after) after.push_back(place[earlier->index]);
            if (after.empty()) after = entry;
            if (node->body.kind == NodeKind::Child && !inline_child(*node, after)) return false;
            if (!append(*node, after)) return false;
            place[node->index] = static_cast<uint32_t>(plan_.nodes.size() - 1);
            if (node->before.empty()) out_sinks->push_back(place[node->index]);
        }
        for (const Ref<GraphCondition> &condition : graph.conditions)
            if (condition->assign) plan_.assigned.push_back(condition);
        return true;
    }

    // Puts nodes that follow each other into one lane, and nodes that may run at the same time into different lanes.
    void assign_lanes() {
        const size_t count = plan_.nodes.size();
        Indices left(count, 0);                       // successors without a lane
        std::vector<std::vector<Spare>> spare(count); // by node: lanes that only its descendants may use
        for (const PlanNode &node : plan_.nodes)
            for (const uint32_t p : node.after) ++left[p];
        for (uint32_t i = 0; i < count; ++i) {
            PlanNode &node = plan_.nodes[i];
            node.root = node.after.empty();
            node.sink = left[i] == 0;
            node.marks = node.sink;
            node.lane = choose(node, spare);
            for (const uint32_t p : node.after) {
                const PlanNode &earlier = plan_.nodes[p];
                if (earlier.lane != node.lane) {
                    node.waits.push_back(p);
                    plan_.nodes[p].marks = true;
                    if (plan_.lanes[earlier.lane].tail == p) spare[i].push_back({earlier.lane, p});
                }
                if (--left[p] == 0) {
                    spare[i].insert(spare[i].end(), spare[p].begin(), spare[p].end());
                    spare[p].clear();
                }
            }
            plan_.lanes[node.lane].tail = i;
        }
        for (const PlanLane &lane : plan_.lanes) plan_.nodes[lane.tail].last = true;
    }

private:
    struct Spare {
        uint32_t lane, tail;
    };

    // The child node itself then stands for the end of the child graph.
    bool inline_child(const GraphNode &child, Indices &after) {
        if (after.size() > 1) { // in place of an edge from each of them to each root
            PlanNode entry;
            entry.body.device = child.body.device;
            entry.body.priority = child.body.priority;
            entry.after = after;
            plan_.nodes.push_back(std::move(entry));
            after.assign(1, static_cast<uint32_t>(plan_.nodes.size() - 1));
        }
        Indices sinks;
        if (!flatten(*child.graphs[0], after, &sinks)) return false;
        if (!sinks.empty()) after = std::move(sinks);
        return true;
    }

    bool append(const GraphNode &from, const Indices &after) {
        PlanNode node;
        node.body = from.body;
        node.id = from.origin;
        node.enabled = from.enabled;
        node.after = after;
        const size_t place = plan_.nodes.size();
        const PlanNode *old = before_ && place < before_->nodes.size() ? &before_->nodes[place] : nullptr;
        if (from.body.kind == NodeKind::Condition) {
            for (size_t i = 0; i < from.graphs.size(); ++i) {
                const Plan *inner = old && i < old->bodies.size() ? old->bodies[i].get() : nullptr;
                node.bodies.push_back(make_plan(engine_, *from.graphs[i], plan_.node_priorities, inner));
                if (!node.bodies.back()) return false;
                const auto &assigned = node.bodies.back()->assigned;
                plan_.assigned.insert(plan_.assigned.end(), assigned.begin(), assigned.end());
            }
        }
        plan_.sleeps = plan_.sleeps || from.body.action == NodeAction::Sleep;
        plan_.nodes.push_back(std::move(node));
        return true;
    }

    bool fits(const PlanNode &node, uint32_t lane) const noexcept {
        const PlanLane &l = plan_.lanes[lane];
        return l.device == node.body.device && (!plan_.node_priorities || l.priority == node.body.priority);
    }

    uint32_t choose(const PlanNode &node, std::vector<std::vector<Spare>> &spare) {
        for (const uint32_t p : node.after) {
            const uint32_t lane = plan_.nodes[p].lane;
            if (plan_.lanes[lane].tail == p && fits(node, lane)) return lane;
        }
        for (const uint32_t p : node.after) {
            auto &list = spare[p];
            while (!list.empty()) {
                const Spare last = list.back();
                if (plan_.lanes[last.lane].tail == last.tail && !fits(node, last.lane)) break;
                list.pop_back();
                if (plan_.lanes[last.lane].tail == last.tail) return last.lane;
            }
        }
        plan_.lanes.push_back({node.body.device, node.body.priority, 0});
        return static_cast<uint32_t>(plan_.lanes.size() - 1);
    }

    Engine &engine_;
    Plan &plan_;
    const Plan *const before_;
};

} // namespace

Ref<Plan> make_plan(Engine &engine, const Graph &graph, bool node_priorities, const Plan *before) {
    Ref<Plan> plan(new Plan);
    plan->device = graph.device;
    plan->node_priorities = node_priorities;
    Builder builder(engine, *plan, before);
    Indices sinks;
    if (!builder.flatten(graph, {}, &sinks)) return {};
    builder.assign_lanes();
    plan->streams = before ? before->streams : Ref<LaneStreams>(new LaneStreams(engine));
    return plan;
}

namespace {

// As CUDA pairs nodes: in the order of their creation, with the same dependencies in the order in which they were added.
bool same_edges(const GraphNode &a, const GraphNode &b) noexcept {
    return std::equal(a.after.begin(), a.after.end(), b.after.begin(), b.after.end(),
                      [](const GraphNode *one, const GraphNode *other) { return one->index == other->index; });
}

UpdateReport compare(const Graph &definition, const Graph &from) noexcept {
    if (definition.nodes.size() != from.nodes.size()) return {UpdateResult::TopologyChanged, 0, 0};
    for (size_t i = 0; i < from.nodes.size(); ++i) {
        const GraphNode &present = *definition.nodes[i], &wanted = *from.nodes[i];
        if (present.body.kind != wanted.body.kind) return {UpdateResult::NodeTypeChanged, present.origin, wanted.id};
        if (!same_edges(present, wanted)) return {UpdateResult::TopologyChanged, present.origin, wanted.id};
        const UpdateResult fits = may_become(present.body, wanted.body);
        if (fits != UpdateResult::Success) return {fits, present.origin, wanted.id};
        if (present.graphs.size() != wanted.graphs.size())
            return {UpdateResult::ParametersChanged, present.origin, wanted.id};
        for (size_t g = 0; g < present.graphs.size(); ++g) {
            const UpdateReport inner = compare(*present.graphs[g], *wanted.graphs[g]);
            if (inner.result != UpdateResult::Success) return inner;
        }
    }
    return {};
}

// Of conditions, too: the work of the bodies sets those of the graph.
void assign(Graph &definition, const Graph &from) {
    definition.conditions = from.conditions;
    for (size_t i = 0; i < from.nodes.size(); ++i) {
        GraphNode &present = *definition.nodes[i];
        const GraphNode &wanted = *from.nodes[i];
        present.body = wanted.body;
        for (size_t g = 0; g < present.graphs.size(); ++g) assign(*present.graphs[g], *wanted.graphs[g]);
    }
}

} // namespace

UpdateResult may_become(const NodeBody &present, const NodeBody &wanted) noexcept {
    if (present.kind != wanted.kind) return UpdateResult::NodeTypeChanged;
    if (present.device != wanted.device)
        return present.kind == NodeKind::Kernel ? UpdateResult::UnsupportedFunctionChange
                                                : UpdateResult::ParametersChanged;
    if (present.kind == NodeKind::Condition && present.type != wanted.type) return UpdateResult::ParametersChanged;
    return UpdateResult::Success;
}

UpdateReport update_definition(Graph &definition, const Graph &from) {
    const UpdateReport report = compare(definition, from);
    if (report.result != UpdateResult::Success) return report;
    assign(definition, from);
    definition.kept.clear();
    collect_kept(from, definition.kept);
    return report;
}

GraphNode *find_origin(Graph &definition, uint64_t id) noexcept {
    for (const auto &node : definition.nodes) {
        if (node->origin == id) return node.get();
        for (const auto &inner : node->graphs)
            if (GraphNode *found = find_origin(*inner, id)) return found;
    }
    return nullptr;
}

void GraphTable::add(Graph &graph) {
    try {
        graphs_.emplace(graph.id, &graph);
        for (const auto &node : graph.nodes) add(*node);
    } catch (const std::bad_alloc &) {
        remove(graph);
        throw;
    }
}

void GraphTable::remove(Graph &graph) noexcept {
    graphs_.erase(graph.id);
    for (const auto &node : graph.nodes) remove(*node);
}

void GraphTable::add(GraphNode &node) {
    try {
        nodes_.emplace(node.id, &node);
        for (const auto &inner : node.graphs) add(*inner);
    } catch (const std::bad_alloc &) {
        remove(node);
        throw;
    }
}

void GraphTable::remove(GraphNode &node) noexcept {
    nodes_.erase(node.id);
    for (const auto &inner : node.graphs) remove(*inner);
}

bool GraphTable::has_other_exec(uint64_t source, const GraphExec *exec) const noexcept {
    const auto [first, last] = execs_.equal_range(source);
    return std::any_of(first, last, [&](const auto &entry) { return entry.second != exec; });
}

void GraphTable::set_source(GraphExec &exec, uint64_t source) {
    if (exec.source == source) return;
    if (source != 0) execs_.emplace(source, &exec);
    const auto [first, last] = execs_.equal_range(exec.source);
    const auto before = std::find_if(first, last, [&](const auto &entry) { return entry.second == &exec; });
    if (before != last) execs_.erase(before);
    exec.source = source;
}

} // namespace gs::host
