// SPDX-License-Identifier: Apache-2.0
// The accesses of a graph's launch.
#include "tools/check/checker.hpp"

namespace gs::check {
namespace {

const char *label_of(const PlanNode &node, AccessKind kind) noexcept {
    if (kind == AccessKind::Allocate) return "gs_malloc_async";
    if (kind == AccessKind::Free) return "gs_free_async";
    return node.kind == GS_NODE_MEMSET ? "fill" : "copy";
}

} // namespace

struct Checker::Launch {
    Checker &checker;
    const Caller &caller;
    const StreamFacts &stream;
    uint64_t number;
    Races &out;

    void visit(const PlanNode &node, const NodeLine &line) {
        if (!node.enabled || !line.clock->open().empty()) return; // as of other accesses
        for (const PlanAccess &planned : node.accesses) visit(node, planned, line);
    }
    void visit(const PlanNode &node, const PlanAccess &planned, const NodeLine &line) {
        Access access;
        access.line = line.line;
        access.epoch = line.epoch;
        access.first = line.first;
        access.stream = stream.handle;
        access.thread = caller.os_id;
        access.begin = planned.begin;
        access.end = planned.end;
        access.label = planned.label;
        access.stack = planned.stack;
        access.kind = planned.kind;
        access.launch = number;
        access.node = node.node;
        if (planned.kind == AccessKind::Allocate) {
            checker.history_.forget(access.begin, access.end);
            checker.allocated_[access.begin] = access.end - access.begin;
        }
        if (planned.kind == AccessKind::Free) access.end = access.begin + checker.freed_bytes(access.begin);
        checker.check(caller, access, *line.clock, planned.label != 0 ? nullptr : label_of(node, planned.kind), out);
    }
};

PlanAccess Checker::plan_access(const Caller &caller, AccessKind kind, Range range, const char *label) {
    PlanAccess access;
    access.kind = kind;
    access.declared = true;
    access.begin = range.begin;
    access.end = range.end;
    access.label = texts_.label(label);
    access.stack = texts_.stack(caller.site);
    return access;
}

void Checker::launch(const Caller &caller, const StreamFacts &stream, uint64_t exec, Races &out) {
    StreamLine &line = order_.stream(stream);
    ThreadLine &by = thread(caller);
    const GraphPlan *plan = graphs_.plan_of(exec);
    if (!plan) return order_.pass_foreign(by, line); // instantiated before the checker was started
    Launch launch{*this, caller, stream, ++launches_, out};
    order_.launch(
        by, line, exec, *plan,
        [](void *context, const PlanNode &node, const NodeLine &place) {
            static_cast<Launch *>(context)->visit(node, place);
        },
        &launch);
}

void Checker::announce_launch(const Caller &caller, const StreamFacts &stream, uint64_t exec) {
    if (const GraphPlan *plan = graphs_.plan_of(exec))
        order_.announce_launch(thread(caller), order_.stream(stream), exec, *plan);
}

} // namespace gs::check
