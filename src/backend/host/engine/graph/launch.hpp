// SPDX-License-Identifier: Apache-2.0
// One launch of a plan, or of the body of a condition: the operations of all lanes. They are made beforehand, so that
// failures come before the first of them is queued.
#pragma once

#include <vector>

#include "backend/host/engine/graph/exec.hpp"
#include "backend/host/engine/submission.hpp"

namespace gs::host {

class Engine;

class Launch {
public:
    // whole: the plan of the launch, of which `plan` may be a body.
    Launch(Engine &engine, const Plan &plan, Plan &whole, int32_t level) noexcept
        : engine_(engine), plan_(plan), whole_(whole), level_(level) {}
    ~Launch();
    Launch(const Launch &) = delete;
    Launch &operator=(const Launch &) = delete;

    // Throws bad_alloc. The roots wait for `start`, if it is given. parent: the stream for the whole launch, possible
    // for a plan of at most one lane.
    Result prepare(Record *start, Chain *parent);
    // Waits for the end of all that the launch does in other streams.
    void join(Chain &chain);
    // The chain of a lane, for the join of a body; nullptr: the plan is empty.
    Chain *first_lane() noexcept { return lanes_.empty() ? nullptr : &lanes_[0]; }
    // Nothing fails from here on: events get their records, lanes their work.
    void commit() noexcept;

private:
    struct Recorded {
        Event *event;
        Record *record;
    };
    Chain &chain_of(const PlanNode &node) noexcept { return parent_ ? *parent_ : lanes_[node.lane]; }
    Result add_node(uint32_t index, Record *start);
    Result add_action(uint32_t index, Chain &chain);
    Result add_record(const PlanNode &node, Chain &chain);
    Result add_wait(const PlanNode &node, Chain &chain);
    void add_branch(uint32_t index, Chain &chain);
    void add_release(Chain &chain);

    Engine &engine_;
    const Plan &plan_;
    Plan &whole_;
    const int32_t level_;
    Chain *parent_ = nullptr;
    std::vector<Stream *> streams_;
    std::vector<Chain> lanes_;
    std::vector<Record *> records_; // by node, of those that others wait for; one reference each
    std::vector<Recorded> recorded_;
};

} // namespace gs::host
