// SPDX-License-Identifier: Apache-2.0
#include "tools/check/checker.hpp"

#include <algorithm>

namespace gs::check {
namespace {

// line: of a stream, of a thread, or of a node of a launched graph.
template <typename Line>
Access access_on(const Line &line, const Caller &caller, uint64_t stream, Range range) noexcept {
    Access access;
    access.line = line.line;
    access.epoch = line.epoch;
    access.first = line.first;
    access.stream = stream;
    access.thread = caller.os_id;
    access.begin = range.begin;
    access.end = range.end;
    return access;
}

const char *label_of(const PlanNode &node, AccessKind kind) noexcept {
    if (kind == AccessKind::Allocate) return "gs_malloc_async";
    if (kind == AccessKind::Free) return "gs_free_async";
    return node.kind == GS_NODE_MEMSET ? "fill" : "copy";
}

} // namespace

ThreadLine &Checker::thread(const Caller &caller) {
    ThreadLine &thread = order_.thread(caller.serial);
    if (caller.reads_notes) order_.read_notes(thread);
    return thread;
}

RaceSide Checker::side_of(const Access &access) const {
    RaceSide side;
    side.access = access;
    side.label = texts_.label_text(access.label);
    side.site = texts_.stack_site(access.stack);
    side.stream_name = name_of_object(access.stream).text;
    return side;
}

bool Checker::is_allocated(uintptr_t address) const {
    auto block = allocated_.upper_bound(address);
    return block != allocated_.begin() && address - (--block)->first < block->second;
}

bool Checker::may_have_moved(const Access &earlier, const Access &later) const {
    if (earlier.kind == AccessKind::Free || is_allocated(std::max(earlier.begin, later.begin))) return false;
    return order_.is_seen_done(earlier.line, earlier.epoch);
}

void Checker::check(const Caller &caller, Access access, const VectorClock &clock, const char *label, Races &out) {
    access.number = ++accesses_;
    if (label) access.label = texts_.label(label);
    if (access.stack == 0) access.stack = texts_.stack(caller.site);
    std::vector<Access> earlier;
    history_.add(access, clock, earlier);
    for (const Access &other : earlier) {
        const bool told_apart = access.label + other.label + access.stack + other.stack != 0;
        const bool moved = may_have_moved(other, access);
        const Pair pair{brief_of(other), brief_of(access), told_apart ? 0 : access.begin, moved};
        if (!found_.insert(pair).second) continue;
        const bool inside = access.launch != 0 && access.launch == other.launch;
        out.push_back({side_of(other), side_of(access), !inside && clock.at(other.line) >= other.first, moved});
    }
}

void Checker::access(const Caller &caller, const StreamFacts &stream, AccessKind kind, Range range, const char *label,
                     Races &out) {
    StreamLine &line = order_.stream(stream);
    order_.submit(thread(caller), line);
    if (!line.clock.open().empty()) return; // what comes before it is not known yet
    Access access = access_on(line, caller, stream.handle, range);
    access.kind = kind;
    check(caller, access, line.clock, label, out);
}

// What comes later is ordered behind the call or the stream. What came before is so only if the calling thread knows that it
// is done.
void Checker::read_early(const Caller &caller, const StreamFacts &stream, bool during_call, Range range,
                         const char *label, Races &out) {
    ThreadLine &host = thread(caller);
    StreamLine &line = order_.stream(stream);
    if (during_call) order_.act(host);
    order_.submit(host, line);
    if (!host.clock.open().empty()) return;
    Access access = during_call ? access_on(host, caller, 0, range) : access_on(line, caller, stream.handle, range);
    access.early = !during_call;
    check(caller, access, host.clock, label, out);
}

// What happened to the memory before is ordered by the allocator.
void Checker::allocate(const Caller &caller, const StreamFacts &stream, Range range, const char *label, Races &out) {
    allocate_host(range.begin, range.end - range.begin);
    access(caller, stream, AccessKind::Allocate, range, label, out);
}

size_t Checker::free(const Caller &caller, const StreamFacts &stream, uintptr_t address, const char *label,
                     Races &out) {
    const size_t bytes = freed_bytes(address);
    access(caller, stream, AccessKind::Free, {address, address + bytes}, label, out);
    return bytes;
}

size_t Checker::freed_bytes(uintptr_t address) {
    const auto found = allocated_.find(address);
    const size_t bytes = found == allocated_.end() ? 1 : found->second;
    if (found != allocated_.end()) allocated_.erase(found);
    return bytes;
}

void Checker::allocate_host(uintptr_t address, size_t bytes) {
    history_.forget(address, address + bytes);
    allocated_[address] = bytes;
}

// The memory is gone at once, so nothing is remembered of it.
void Checker::free_host(const Caller &caller, uintptr_t address, const char *label, Races &out) {
    const auto found = allocated_.find(address);
    if (found == allocated_.end()) return;
    ThreadLine &line = thread(caller);
    order_.act(line);
    if (!line.clock.open().empty()) {
        history_.forget(address, address + found->second);
        allocated_.erase(found);
        return;
    }
    Access access;
    access.line = line.line;
    access.epoch = line.epoch;
    access.first = line.first;
    access.thread = caller.os_id;
    access.begin = address;
    access.end = address + found->second;
    access.kind = AccessKind::Free;
    check(caller, access, line.clock, label, out);
    history_.forget(access.begin, access.end);
    allocated_.erase(found);
}

void Checker::expect(uint64_t queue, uint64_t token, const VectorClock &point) {
    Expected &expected = expected_[{queue, token}];
    expected.point.merge(point);
    ++expected.count;
}

void Checker::withdraw(uint64_t queue, uint64_t token) noexcept {
    const auto found = expected_.find({queue, token});
    if (found != expected_.end() && --found->second.count == 0) expected_.erase(found);
}

void Checker::told(const Caller &caller, uint64_t queue, uint64_t token) {
    const auto found = expected_.find({queue, token});
    if (found == expected_.end()) return;
    order_.know(thread(caller), found->second.point);
    withdraw(queue, token);
}

void Checker::end_queue(uint64_t queue) noexcept {
    expected_.erase(expected_.lower_bound({queue, 0}), expected_.upper_bound({queue, UINT64_MAX}));
}

// The accesses of a graph's launch.

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
        Access access = access_on(line, caller, stream.handle, {planned.begin, planned.end});
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
