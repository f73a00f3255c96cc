// SPDX-License-Identifier: Apache-2.0
// Condition nodes at run time, on the worker that has the lane's token; and the streams of lanes.
#include <new>
#include <utility>

#include "backend/host/engine/engine.hpp"
#include "backend/host/engine/graph/exec.hpp"
#include "backend/host/engine/graph/launch.hpp"

namespace gs::host {
namespace {

// The body that runs now; nullptr: the condition has none left.
const Plan *choose_body(const Branch &branch, const PlanNode &node) noexcept {
    const uint32_t value = node.body.condition->value.load(std::memory_order_acquire);
    const auto &bodies = node.bodies;
    switch (node.body.type) {
    case ConditionType::While: return value != 0 ? bodies[0].get() : nullptr;
    case ConditionType::If:
        if (branch.ran) return nullptr;
        if (value != 0) return bodies[0].get();
        return bodies.size() > 1 ? bodies[1].get() : nullptr;
    case ConditionType::Switch: return !branch.ran && value < bodies.size() ? bodies[value].get() : nullptr;
    }
    return nullptr;
}

// A device in error drops its work, perhaps also the work that would have ended a loop.
bool uses_failed_device(const Plan &plan) noexcept {
    for (const PlanLane &lane : plan.lanes)
        if (health_of(*lane.device) != Result::Ok) return true;
    for (const PlanNode &node : plan.nodes)
        for (const Ref<Plan> &body : node.bodies)
            if (uses_failed_device(*body)) return true;
    return false;
}

} // namespace

void end_branch(Branch *branch) noexcept {
    if (branch->end) branch->end->release();
    delete branch;
}

Engine::Step Engine::run_branch(Stream &stream, Branch &branch) noexcept {
    const PlanNode &node = branch.plan->nodes[branch.node];
    for (;;) {
        if (branch.end) std::exchange(branch.end, nullptr)->release();
        if (health_of(*stream.device) != Result::Ok) return Step::Done;
        const Plan *body = choose_body(branch, node);
        if (!body || uses_failed_device(*body)) return Step::Done;
        branch.ran = true;
        if (!launch_body(*body, branch)) {
            latch(*stream.device, FaultKind::Sticky, 0, "the body of a condition: memory is exhausted");
            return Step::Done;
        }
        Record *end = branch.end;
        if (end && !end->done() && end->park(stream)) return Step::Parked; // branch may be gone from here on
    }
}

// The body's own lanes are idle: a launch never overlaps the one before.
bool Engine::launch_body(const Plan &body, Branch &branch) noexcept {
    if (body.lanes.empty()) return true;
    if (lane_needs(body) != Result::Ok) return false;
    Record *end = body.lanes[0].device->records.take();
    if (!end) return false;
    try {
        Launch launch(*this, body, *branch.whole, branch.level);
        MutexLock lock(graph_mutex_);
        if (launch.prepare(nullptr, nullptr) == Result::Ok) {
            Chain &chain = *launch.first_lane();
            launch.join(chain);
            chain.add_marker(*end, false);
            launch.commit();
            branch.end = end;
            return true;
        }
    } catch (const std::bad_alloc &) {}
    end->release();
    return false;
}

LaneStreams::~LaneStreams() {
    for (const Level &level : levels_)
        for (Stream *stream : level.streams)
            if (stream) engine_.stream_destroy(*stream);
}

Stream *LaneStreams::at(int32_t priority, const Plan &plan, uint32_t lane) {
    const int32_t wanted = plan.node_priorities ? kLeastPriority : priority;
    Level *level = nullptr;
    for (Level &present : levels_)
        if (present.priority == wanted) level = &present;
    if (!level) {
        levels_.push_back({wanted, {}});
        level = &levels_.back();
    }
    if (level->streams.size() < plan.lanes.size()) level->streams.resize(plan.lanes.size(), nullptr);
    Stream *&stream = level->streams[lane];
    const PlanLane &shape = plan.lanes[lane];
    const int32_t own = plan.node_priorities ? shape.priority : priority;
    // An update may bring other nodes here. What earlier launches have in the stream still runs.
    if (stream && (stream->device != shape.device || stream->priority != own))
        engine_.stream_destroy(*std::exchange(stream, nullptr));
    if (!stream) stream = engine_.new_stream(*shape.device, own, false);
    return stream;
}

} // namespace gs::host
