// SPDX-License-Identifier: Apache-2.0
#include "tools/check/facts.hpp"

#include <new>

#include "base/fork_state.hpp"
#include "base/log.hpp"
#include "base/sort.hpp"
#include "base/status.hpp"
#include "core/graph/graph_calls.hpp"
#include "core/lookup.hpp"
#include "core/stream/captured.hpp"
#include "handle/grace.hpp"
#include "tools/check/graph_plan.hpp"

namespace gs::check {

StreamFacts facts_of(const ThreadBlock &thread, const StreamSlot &slot) noexcept {
    StreamFacts facts;
    facts.handle = slot.handle.load(std::memory_order_acquire);
    facts.device = reinterpret_cast<uintptr_t>(slot.device);
    facts.legacy = slot.kind == StreamKind::Default;
    facts.blocking = facts.legacy || slot.kind == StreamKind::PerThread || slot.blocking();
    switch (slot.kind) {
    case StreamKind::Default: facts.key = {kKeyLegacy, facts.device, 0}; break;
    case StreamKind::PerThread: facts.key = {kKeyPerThread, facts.device, 0, thread.serial}; break;
    case StreamKind::External: facts.key = {kKeyForeign, facts.device, slot.native}; break;
    case StreamKind::Shared: facts.key = {kKeyShared, facts.device, slot.uid}; break;
    default: facts.key = {kKeyOwn, facts.handle, 0}; break;
    }
    return facts;
}

ThreadBlock *thread_out_of_bad_fork() noexcept {
    ThreadBlock *thread = this_thread(); // a thread's first call may find out that this is a bad fork
    return in_bad_fork() ? nullptr : thread;
}

ThreadBlock *acting_thread() noexcept {
    ThreadBlock *thread = observing_thread();
    return thread && thread->callback_depth == 0 ? thread : nullptr;
}

bool find_facts(ThreadBlock &thread, uint64_t handle, StreamFacts *out) noexcept {
    CallMark mark(thread);
    StreamSlot *slot = nullptr;
    if (!optional_stream(thread, handle, &slot).ok()) return false;
    bool captured = false;
    if (!is_captured(thread, *slot, &captured).ok() || captured) return false;
    *out = facts_of(thread, *slot);
    return true;
}

bool find_facts(ThreadBlock &thread, uint64_t handle, EventFacts *out) noexcept {
    CallMark mark(thread);
    const EventSlot *slot = find_event(thread, handle);
    if (!slot) return false;
    out->handle = handle;
    out->foreign = (slot->traits.load(std::memory_order_relaxed) & (kEventForeign | kEventShared | kEventOpened)) != 0;
    return true;
}

namespace {

using Indices = std::vector<uint32_t>;

void add_memory(PlanNode &node, AccessKind kind, const void *address, size_t bytes) {
    PlanAccess access;
    access.kind = kind;
    access.begin = reinterpret_cast<uintptr_t>(address);
    access.end = access.begin + bytes;
    if (bytes != 0) node.accesses.push_back(access); // 0: several dimensions, which are not known
}

class PlanReader {
public:
    PlanReader(ThreadBlock &thread, Graphs &graphs, GraphPlan &plan) : thread_(thread), graphs_(graphs), plan_(plan) {}

    // Nodes that come after no other one of the graph come after `before`. out_ends: no node of the graph comes after these.
    Status read(GraphRef graph, GraphSlot *slot, const Indices &before, Indices *out_ends, int level) {
        GS_TRY(check_level(level));
        std::vector<uintptr_t> nodes;
        GS_TRY(native_nodes(thread_, graphs_, graph, &nodes));
        NativeEdges native;
        GS_TRY(native_edges(thread_, graphs_, graph, &native));
        const PlanEdges edges(nodes, native.from, native.to);
        if (edges.order.size() != nodes.size()) return fail(GS_ERROR_INTERNAL, "a graph with a cycle");
        Indices ends_of(nodes.size());
        for (const uint32_t place : edges.order) {
            Indices after;
            for (const uint32_t one : edges.after[place]) after.push_back(ends_of[one]);
            sort_elements(after.data(), after.size());
            GS_TRY(read_node(graph, slot, nodes[place], after.empty() ? before : after, level, &ends_of[place]));
        }
        for (uint32_t i = 0; i < nodes.size(); ++i)
            if (edges.before[i].empty()) out_ends->push_back(ends_of[i]);
        if (nodes.empty()) *out_ends = before;
        sort_elements(out_ends->data(), out_ends->size());
        return kOk;
    }

private:
    Status read_node(GraphRef graph, GraphSlot *slot, uintptr_t native, const Indices &after, int level,
                     uint32_t *out_end) {
        NodeParams params;
        GS_TRY(graphs_.node_params(thread_, graph, native, &params));
        gs_node_t number = 0;
        const NodeNote *note = nullptr;
        if (slot) {
            GS_TRY(slot->nodes.number_of(native, &number));
            note = slot->notes.find(number);
        }
        const int32_t kind = note ? note->kind : params.kind;
        const uint32_t at = *out_end =
            plan_.add(slot ? slot->handle.load(std::memory_order_relaxed) : 0, number, kind, after);
        if (kind == GS_NODE_MEMCPY) {
            add_memory(plan_.nodes[at], AccessKind::Read, params.copy.src, params.copy.bytes);
            add_memory(plan_.nodes[at], AccessKind::Write, params.copy.dst, params.copy.bytes);
        }
        if (kind == GS_NODE_MEMSET) add_memory(plan_.nodes[at], AccessKind::Write, params.fill.dst, params.fill.bytes);
        Indices ends{at};
        if (kind == GS_NODE_GRAPH && params.child) {
            Indices of_child;
            GS_TRY(read({graph.ordinal, params.child}, nullptr, ends, &of_child, level + 1));
            ends = of_child;
        } else if (note && kind == GS_NODE_CONDITION) {
            for (const uint64_t handle : note->bodies) {
                GraphSlot *body = graph_slots().find(handle);
                Indices of_body;
                if (!body) continue; // one-sided: bodies live as long as their graph
                GS_TRY(read(body->ref(), body, ends, &of_body, level + 1));
                ends = of_body;
            }
        } else {
            return kOk;
        }
        plan_.nodes[at].inside = static_cast<uint32_t>(plan_.nodes.size()) - at - 1;
        *out_end = plan_.add(0, 0, GS_NODE_EMPTY, ends);
        return kOk;
    }

    ThreadBlock &thread_;
    Graphs &graphs_;
    GraphPlan &plan_;
};

Status read_locked(ThreadBlock &thread, uint64_t graph, GraphPlan *out) noexcept {
    LockedGraph locked;
    GS_TRY(locked.find(graph));
    try {
        PlanReader reader(thread, *locked->graphs, *out);
        Indices ends;
        return reader.read(locked->ref(), &*locked, {}, &ends, 0);
    } catch (const std::bad_alloc &) {
        return fail(GS_ERROR_OUT_OF_MEMORY, "no memory for the plan of a graph");
    }
}

} // namespace

bool read_plan(ThreadBlock &thread, uint64_t graph, GraphPlan *out) noexcept {
    const Status status = read_locked(thread, graph, out);
    if (!status.ok())
        log_message(GS_LOG_WARNING,
                    "the ordering checker cannot read a graph, and will miss what its launches access: %s: %s",
                    status_name(status.code), pending_text());
    return status.ok();
}

} // namespace gs::check
