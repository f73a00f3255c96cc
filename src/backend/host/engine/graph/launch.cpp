// SPDX-License-Identifier: Apache-2.0
#include "backend/host/engine/graph/launch.hpp"

#include <memory>
#include <new>

#include "backend/host/engine/engine.hpp"
#include "backend/host/ipc/ipc_arena.hpp"

namespace gs::host {

Launch::~Launch() {
    for (Record *record : records_)
        if (record) record->release();
    for (const Recorded &recorded : recorded_)
        if (recorded.record) recorded.record->release();
}

Result Launch::prepare(Record *start, Chain *parent) {
    const size_t lanes = plan_.lanes.size();
    parent_ = parent;
    if (!parent_) {
        lanes_.resize(lanes);
        for (uint32_t lane = 0; lane < lanes; ++lane) {
            streams_.push_back(plan_.streams->at(level_, plan_, lane));
            if (!streams_.back()) return Result::OutOfMemory;
        }
    }
    records_.assign(plan_.nodes.size(), nullptr);
    for (uint32_t i = 0; i < plan_.nodes.size(); ++i) {
        const Result result = add_node(i, start);
        if (result != Result::Ok) return result;
    }
    return Result::Ok;
}

Result Launch::add_node(uint32_t index, Record *start) {
    const PlanNode &node = plan_.nodes[index];
    Chain &chain = chain_of(node);
    if (node.root && start && !parent_) chain.add_wait(*start);
    for (const uint32_t earlier : node.waits) chain.add_wait(*records_[earlier]);
    if (node.enabled) {
        const Result result = add_action(index, chain);
        if (result != Result::Ok) return result;
    }
    if (node.last) add_release(chain);
    if (!node.marks || parent_) return Result::Ok;
    Record *record = node.body.device->records.take();
    if (!record) return Result::OutOfMemory;
    records_[index] = record;
    chain.add_marker(*record, false);
    return Result::Ok;
}

Result Launch::add_action(uint32_t index, Chain &chain) {
    const PlanNode &node = plan_.nodes[index];
    const NodeBody &body = node.body;
    switch (body.action) {
    case NodeAction::None: return Result::Ok;
    case NodeAction::Record: return add_record(node, chain);
    case NodeAction::Wait: return add_wait(node, chain);
    case NodeAction::Branch: add_branch(index, chain); return Result::Ok;
    case NodeAction::Task: break;
    case NodeAction::Copy:
    case NodeAction::Fill:
    case NodeAction::Sleep:
    case NodeAction::Fault: {
        Op op(Op::Kind::Copy);
        op.copy = body.copy;
        if (body.action == NodeAction::Fill) {
            op.kind = Op::Kind::Fill;
            op.fill = body.fill;
        } else if (body.action == NodeAction::Sleep) {
            op.kind = Op::Kind::Sleep;
            op.delay_ns = body.delay_ns;
        } else if (body.action == NodeAction::Fault) {
            op.kind = Op::Kind::Fault;
            op.fault = body.fault;
        }
        chain.add(op);
        return Result::Ok;
    }
    }
    Op op(Op::Kind::Task);
    if (!body.work->make(&op.task)) return Result::OutOfMemory;
    op.early = body.early && !node.root; // what is ahead of the launch has ended first
    try {
        chain.add(op);
    } catch (const std::bad_alloc &) {
        if (op.task.drop) op.task.drop(op.task.arg);
        throw;
    }
    return Result::Ok;
}

// The event has this record from the launch on; see commit().
Result Launch::add_record(const PlanNode &node, Chain &chain) {
    Event &event = *node.body.event;
    recorded_.push_back({&event, nullptr});
    recorded_.back().record = event.device->records.take();
    if (!recorded_.back().record) return Result::OutOfMemory;
    chain.add_marker(*recorded_.back().record, event.options.timing);
    return Result::Ok;
}

// For the record that is current at the launch, or that a node before this one makes.
Result Launch::add_wait(const PlanNode &node, Chain &chain) {
    Event &event = *node.body.event;
    for (size_t i = recorded_.size(); i-- > 0;) {
        if (recorded_[i].event != &event) continue;
        chain.add_wait(*recorded_[i].record);
        return Result::Ok;
    }
    Op wait(Op::Kind::Wait);
    bool pending = false;
    const Result result = engine_.point_of(event, &wait, &pending);
    if (result != Result::Ok || !pending) return result;
    try {
        chain.add(wait);
    } catch (const std::bad_alloc &) {
        Engine::drop(wait);
        throw;
    }
    return Result::Ok;
}

void Launch::add_branch(uint32_t index, Chain &chain) {
    whole_.retain();
    auto branch = std::make_unique<Branch>(Branch{Ref<Plan>(&whole_), &plan_, index, level_});
    Op op(Op::Kind::Branch);
    op.branch = branch.get();
    chain.add(op);
    (void)branch.release();
}

// What the launch refers to lives until the lane's last node has run.
void Launch::add_release(Chain &chain) {
    Op op(Op::Kind::Task);
    op.task = {[](void *) {}, [](void *plan) { static_cast<Plan *>(plan)->release(); }, &whole_};
    chain.add(op);
    whole_.retain();
}

void Launch::join(Chain &chain) {
    for (size_t i = 0; i < records_.size(); ++i)
        if (plan_.nodes[i].sink && records_[i]) chain.add_wait(*records_[i]);
}

void Launch::commit() noexcept {
    for (Recorded &recorded : recorded_) {
        engine_.give_record(*recorded.event, *recorded.record);
        recorded.record = nullptr;
    }
    for (size_t lane = 0; lane < lanes_.size(); ++lane) engine_.start_lane(*streams_[lane], lanes_[lane]);
}

} // namespace gs::host
