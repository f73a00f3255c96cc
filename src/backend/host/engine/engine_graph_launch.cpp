// SPDX-License-Identifier: Apache-2.0
// Executables: how they are made, launched and changed.
#include <new>

#include "backend/host/engine/engine.hpp"
#include "backend/host/engine/graph/exec.hpp"
#include "backend/host/engine/graph/launch.hpp"
#include "backend/host/engine/submission.hpp"

namespace gs::host {
namespace {

class PooledRecord {
public:
    explicit PooledRecord(Device &device) noexcept : record_(device.records.take()) {}
    ~PooledRecord() {
        if (record_) record_->release();
    }
    PooledRecord(const PooledRecord &) = delete;
    PooledRecord &operator=(const PooledRecord &) = delete;
    Record *get() const noexcept { return record_; }
    Record *share() const noexcept {
        record_->retain();
        return record_;
    }

private:
    Record *const record_;
};

// Writes the defaults of the launch into the conditions.
void assign_conditions(void *plan) {
    for (const Ref<GraphCondition> &condition : static_cast<Plan *>(plan)->assigned)
        condition->value.store(condition->default_value, std::memory_order_release);
}

void add_assignment(Chain &chain, Plan &plan) {
    Op op(Op::Kind::Task);
    op.task = {assign_conditions, [](void *shared) { static_cast<Plan *>(shared)->release(); }, &plan};
    chain.add(op);
    plan.retain();
}

} // namespace

Result Engine::lane_needs(const Plan &plan) noexcept {
    if (!pool_.ensure_started().ok()) return Result::System;
    return plan.sleeps && !timers_.ensure_started().ok() ? Result::System : Result::Ok;
}

void Engine::start_lane(Stream &lane, Chain &chain) noexcept {
    if (chain.empty()) return;
    chain.mark_first();
    TinyGuard guard(lane.lock);
    const bool idle = lane.busy.load(std::memory_order_relaxed) == 0;
    chain.move_to(lane);
    if (!idle) return;
    lane.busy.store(1, std::memory_order_release);
    launch_token(lane, *lane.head);
}

Result Engine::exec_launch(GraphExec &exec, Stream &stream) noexcept {
    Result result = Result::Ok;
    {
        MutexLock lock(graph_mutex_);
        if (stream.member) return capture_launch(exec, stream);
        try {
            result = launch_now(exec, stream);
        } catch (const std::bad_alloc &) {
            result = Result::OutOfMemory;
        }
    }
    return refuse(stream, result);
}

Result Engine::launch_now(GraphExec &exec, Stream &stream) {
    Plan &plan = *exec.plan;
    Result result = check_blocks(exec);
    if (result == Result::Ok) result = lane_needs(plan);
    if (result != Result::Ok) return result;
    // As drivers do: an empty launch is outside the order of launches, so programs cannot come to rely on one here.
    // here.
    if (exec.definition->nodes.empty()) return Submission(*this, stream).status();
    const PooledRecord start(*stream.device), end(*stream.device);
    if (!start.get() || !end.get()) return Result::OutOfMemory;
    // A plan of one lane needs none: its nodes run in the stream itself.
    const bool in_place = plan.lanes.empty() ||
                          (plan.lanes.size() == 1 && plan.lanes[0].device == stream.device && !plan.node_priorities);
    Launch launch(*this, plan, plan, stream.priority);
    Chain chain;
    if (exec.last_end && !exec.last_end->done()) chain.add_wait(*exec.last_end); // no launch overlaps the one before
    if (!plan.assigned.empty()) add_assignment(chain, plan);
    if (!in_place) chain.add_marker(*start.get(), false);
    result = launch.prepare(start.get(), in_place ? &chain : nullptr);
    if (result != Result::Ok) return result;
    launch.join(chain);
    chain.add_marker(*end.get(), false);
    {
        Submission submission(*this, stream);
        result = submission.status();
        if (result == Result::Ok) submission.push_all(chain);
    }
    if (result != Result::Ok) return result;
    launch.commit();
    take_blocks(exec);
    if (exec.last_end) exec.last_end->release();
    exec.last_end = end.share();
    return Result::Ok;
}

// A launch in a capture becomes a child graph, as the executable is now.
Result Engine::capture_launch(GraphExec &exec, Stream &stream) noexcept {
    CaptureMember &member = *stream.member;
    if (member.capture->broken) return Result::CaptureInvalidated;
    const Graph &definition = *exec.definition;
    if (is_single(definition)) return Result::NotSupported;
    try {
        std::vector<GraphNode *> next(1);
        next[0] =
            &add_child(*member.capture->graph, definition, stream.device, member.nodes.data(), member.nodes.size());
        member.nodes = std::move(next);
    } catch (const std::bad_alloc &) {
        return Result::OutOfMemory;
    }
    return Result::Ok;
}

Result Engine::exec_create(const Graph &graph, uint32_t flags, GraphExec **out) noexcept {
    auto exec = std::unique_ptr<GraphExec>(new (std::nothrow) GraphExec);
    if (!exec) return Result::OutOfMemory;
    const Result health = health_of(*graph.device);
    if (health != Result::Ok) return health;
    MutexLock lock(graph_mutex_);
    if (graph.parent) return Result::InvalidValue;
    if (is_single(graph) && table_.has_other_exec(graph.id, nullptr)) return Result::HasExecutable;
    try {
        exec->definition = copy_graph(graph, table_.ids, true);
        gather_kept(*exec->definition);
        exec->plan = plan_of(*exec->definition, (flags & kExecNodePriorities) != 0, nullptr);
        if (!exec->plan) return Result::InvalidValue;
        exec->device = graph.device;
        exec->flags = flags;
        table_.set_source(*exec, graph.id);
    } catch (const std::bad_alloc &) {
        return Result::OutOfMemory;
    }
    *out = exec.release();
    return Result::Ok;
}

Ref<Plan> Engine::plan_of(const Graph &definition, bool priorities, const Plan *before) {
    Ref<Plan> plan = make_plan(*this, definition, priorities, before);
    if (plan) plan->kept = definition.kept;
    return plan;
}

void Engine::exec_destroy(GraphExec &exec) noexcept {
    {
        MutexLock lock(graph_mutex_);
        table_.set_source(exec, 0);
    }
    if (exec.last_end) exec.last_end->release();
    delete &exec;
}

Result Engine::exec_update(GraphExec &exec, const Graph &graph, UpdateReport *out) noexcept {
    std::unique_ptr<Graph> old; // what it kept is released with no lock held
    Ref<Plan> old_plan;
    MutexLock lock(graph_mutex_);
    if (is_single(graph) && table_.has_other_exec(graph.id, &exec)) {
        *out = {UpdateResult::NotSupported, 0, 0};
        return Result::GraphChanged;
    }
    try {
        std::unique_ptr<Graph> wanted = copy_graph(*exec.definition, table_.ids, true);
        *out = update_definition(*wanted, graph);
        if (out->result != UpdateResult::Success) return Result::GraphChanged;
        Ref<Plan> plan = plan_of(*wanted, exec.plan->node_priorities, exec.plan.get());
        table_.set_source(exec, graph.id);
        old_plan = std::exchange(exec.plan, std::move(plan));
        old = std::exchange(exec.definition, std::move(wanted));
    } catch (const std::bad_alloc &) {
        return Result::OutOfMemory;
    }
    return Result::Ok;
}

Result Engine::change_node(GraphExec &exec, uint64_t node, const NodeBody *body, const Graph *child,
                           const bool *enabled) noexcept {
    std::unique_ptr<Graph> old;
    Ref<Plan> old_plan;
    MutexLock lock(graph_mutex_);
    try {
        std::unique_ptr<Graph> wanted = copy_graph(*exec.definition, table_.ids, true);
        GraphNode *found = find_origin(*wanted, node);
        if (!found) return Result::InvalidValue;
        const NodeKind kind = found->body.kind;
        NodeBody made = body ? *body : NodeBody{};
        if (!made.device) made.device = found->body.device;
        if (body && may_become(found->body, made) != UpdateResult::Success) return Result::InvalidValue;
        if (enabled && kind != NodeKind::Kernel && kind != NodeKind::Copy && kind != NodeKind::Fill)
            return Result::InvalidValue;
        if (body) {
            made.set({found->body.early, found->body.own_priority, found->body.priority});
            found->body = std::move(made);
        }
        if (enabled) found->enabled = *enabled;
        if (child) {
            if (kind != NodeKind::Child) return Result::InvalidValue;
            const UpdateReport report = update_definition(*found->graphs[0], *child);
            if (report.result != UpdateResult::Success) return Result::GraphChanged;
            gather_kept(*wanted);
        }
        Ref<Plan> plan = plan_of(*wanted, exec.plan->node_priorities, exec.plan.get());
        old_plan = std::exchange(exec.plan, std::move(plan));
        old = std::exchange(exec.definition, std::move(wanted));
    } catch (const std::bad_alloc &) {
        return Result::OutOfMemory;
    }
    return Result::Ok;
}

Result Engine::exec_enabled(GraphExec &exec, uint64_t node, bool *out) noexcept {
    MutexLock lock(graph_mutex_);
    const GraphNode *found = find_origin(*exec.definition, node);
    if (!found) return Result::InvalidValue;
    *out = found->enabled;
    return Result::Ok;
}

} // namespace gs::host
