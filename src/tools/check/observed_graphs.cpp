// SPDX-License-Identifier: Apache-2.0
// What the calls on graphs, executables and streams that are being captured tell the checker.
#include <algorithm>
#include <new>

#include "core/graph/capture_calls.hpp"
#include "core/lookup.hpp"
#include "handle/grace.hpp"
#include "tools/check/facts.hpp"
#include "tools/check/graph_plan.hpp"
#include "tools/recorder/log_notes.hpp"

namespace gs::check {
namespace {

constexpr size_t kMostPlaces = 64; // of a stream: more than one is rare

// False: the stream is not captured, or by other code.
bool find_place(ThreadBlock &thread, uint64_t stream, CapturePlace *out) noexcept {
    if (!capture_guard()) return false;
    CallMark mark(thread);
    StreamSlot *slot = nullptr;
    Graphs *graphs = nullptr;
    StreamCapture now;
    CaptureFacts known;
    bool found = false;
    if (!optional_stream(thread, stream, &slot).ok() || !graphs_of(*slot->device, &graphs).ok()) return false;
    if (slot->kind == StreamKind::Default || !graphs->capture(thread, slot->ref(), &now).ok()) return false;
    if (now.state != GS_CAPTURE_STATE_ACTIVE || !find_capture(thread, now.id, &known, &found).ok() || !found)
        return false;
    out->stream = facts_of(thread, *slot).key;
    out->graph = known.graph;
    gs_node_t nodes[kMostPlaces];
    size_t count = 0;
    if (!capture_nodes(thread, *slot, nodes, kMostPlaces, &count).ok()) return false;
    try {
        out->nodes.assign(nodes, nodes + std::min(count, kMostPlaces));
        return true;
    } catch (const std::bad_alloc &) {
        return false;
    }
}

} // namespace

bool saw_captured(ThreadBlock &thread, uint64_t stream) noexcept {
    CapturePlace place;
    if (!find_place(thread, stream, &place)) return false;
    with_checker(thread, [&](Checker &checker, const Caller &, Checker::Races &) { checker.graphs().pass(place); });
    return true;
}

void saw_captured_access(ThreadBlock &thread, uint64_t stream, CapturedAs as, AccessKind kind, Range range,
                         const char *label) noexcept {
    CapturePlace place;
    if (!find_place(thread, stream, &place)) return;
    with_checker<OfCall::Access>(thread, [&](Checker &checker, const Caller &caller, Checker::Races &) {
        const PlanAccess access = checker.plan_access(caller, kind, range, label);
        if (as == CapturedAs::Declared)
            checker.graphs().declare(place, access);
        else
            checker.graphs().add(place, access);
    });
}

void declare_node_access(ThreadBlock &thread, uint64_t graph, gs_node_t node, bool write, const void *address,
                         size_t bytes, const char *label) noexcept {
    const AccessKind kind = write ? AccessKind::Write : AccessKind::Read;
    const auto begin = reinterpret_cast<uintptr_t>(address);
    with_checker<OfCall::Access>(thread, [&](Checker &checker, const Caller &caller, Checker::Races &) {
        checker.graphs().add(graph, node, checker.plan_access(caller, kind, {begin, begin + bytes}, label));
    });
}

void saw_free(uint64_t stream, const void *address) noexcept {
    ThreadBlock *thread = observing_thread();
    const auto begin = reinterpret_cast<uintptr_t>(address);
    if (thread && address)
        saw_captured_access(*thread, stream, CapturedAs::Call, AccessKind::Free, {begin, begin + 1}, nullptr);
}

void before_capture_end(uint64_t stream) noexcept {
    if (ThreadBlock *thread = acting_thread()) saw_captured(*thread, stream);
}

void before_launch(uint64_t exec, uint64_t stream) noexcept {
    ThreadBlock *thread = acting_thread();
    StreamFacts facts;
    if (!thread || !find_facts(*thread, stream, &facts)) return;
    with_order(thread, [&](Checker &checker, const Caller &caller) { checker.announce_launch(caller, facts, exec); });
}

void saw_launch_fail(uint64_t exec) noexcept {
    with_order(acting_thread(), [&](Checker &checker, const Caller &caller) { checker.withdraw_launch(caller, exec); });
}

void saw_launch(uint64_t exec, uint64_t stream) noexcept {
    recorder::note(recorder::LogCall::Launch, stream, exec);
    ThreadBlock *thread = observing_thread();
    StreamFacts facts;
    if (!thread || !find_facts(*thread, stream, &facts)) return;
    with_checker<OfCall::Access>(*thread, [&](Checker &checker, const Caller &caller, Checker::Races &races) {
        checker.launch(caller, facts, exec, races);
    });
}

// The graph is read after the call. If another thread changes it in between, the plan is of what it became.
void saw_exec(uint64_t exec, uint64_t graph) noexcept {
    ThreadBlock *thread = observing_thread();
    if (!thread) return;
    GraphPlan plan;
    const bool known = read_plan(*thread, graph, &plan);
    with_order(thread, [&](Checker &checker, const Caller &) {
        if (!known) return checker.graphs().end_exec(exec);
        checker.graphs().complete(plan);
        checker.graphs().set_plan(exec, std::move(plan));
    });
}

void saw_exec_node(uint64_t exec, gs_node_t node, const gs_node_params_t &now) noexcept {
    ThreadBlock *thread = observing_thread();
    const bool copies = now.kind == GS_NODE_MEMCPY, fills = now.kind == GS_NODE_MEMSET;
    if (!thread || !(copies || fills || now.kind == GS_NODE_KERNEL)) return;
    with_order(thread, [&](Checker &checker, const Caller &) {
        GraphPlan *plan = checker.graphs().plan_of(exec);
        PlanNode *changed = plan ? plan->find(node) : nullptr;
        if (!changed) return;
        changed->accesses.clear(); // what was declared was about the old arguments
        PlanAccess access;
        const auto add = [&](AccessKind kind, const void *address) {
            access.kind = kind;
            access.begin = reinterpret_cast<uintptr_t>(address);
            access.end = access.begin + now.bytes;
            changed->accesses.push_back(access);
        };
        if (copies) add(AccessKind::Read, now.src);
        if (copies || fills) add(AccessKind::Write, now.dst);
    });
}

void saw_exec_switch(uint64_t exec, gs_node_t node, bool on) noexcept {
    with_order(observing_thread(), [&](Checker &checker, const Caller &) {
        GraphPlan *plan = checker.graphs().plan_of(exec);
        if (PlanNode *changed = plan ? plan->find(node) : nullptr) changed->enabled = on;
    });
}

void before_release(uint64_t exec) noexcept {
    with_order(observing_thread(), [&](Checker &checker, const Caller &) { checker.order().leave_launches(exec); });
}

void saw_exec_end(uint64_t exec) noexcept {
    ThreadBlock *thread = observing_thread();
    if (!thread || exec_slots().find(exec)) return;
    with_order(thread, [&](Checker &checker, const Caller &) {
        checker.graphs().end_exec(exec);
        checker.order().end_exec(exec);
    });
}

void saw_graph_end() noexcept {
    with_order(observing_thread(), [&](Checker &checker, const Caller &) {
        checker.graphs().forget_graphs([](uint64_t graph) { return graph_slots().find(graph) != nullptr; });
    });
}

void saw_child(uint64_t graph, gs_node_t node, uint64_t child) noexcept {
    ThreadBlock *thread = observing_thread();
    GraphPlan plan;
    if (!thread || !read_plan(*thread, child, &plan)) return;
    with_order(thread,
               [&](Checker &checker, const Caller &) { checker.graphs().add_child(graph, node, std::move(plan)); });
}

void saw_clone(uint64_t graph, uint64_t copy) noexcept {
    ThreadBlock *thread = observing_thread();
    GraphPlan original, made;
    if (!thread || !read_plan(*thread, graph, &original) || !read_plan(*thread, copy, &made)) return;
    with_order(thread, [&](Checker &checker, const Caller &) { checker.graphs().clone(original, made); });
}

} // namespace gs::check
