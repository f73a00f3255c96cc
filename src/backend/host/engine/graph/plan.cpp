// SPDX-License-Identifier: Apache-2.0
#include "backend/host/engine/graph/plan.hpp"

#include <algorithm>

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

} // namespace gs::host
