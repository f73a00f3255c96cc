// SPDX-License-Identifier: Apache-2.0
#include "base/log.hpp"
#include "base/status.hpp"
#include "core/graph/graph_calls.hpp"
#include "core/graph/graph_holds.hpp"
#include "core/names.hpp"

namespace gs {
namespace {

// The executable and the graph that it was made from, both locked, and the driver's node.
class LockedNode {
public:
    Status find(ThreadBlock &thread, const ExecNode &place) noexcept {
        GS_TRY(exec.find(thread, place.exec));
        GS_TRY(check_health(*exec->device));
        if (!graph_slots().find(exec->source) || !source.find(exec->source).ok())
            return fail(GS_ERROR_INVALID_HANDLE, "the graph that executable graph %s was made from was destroyed",
                        describe_object(place.exec).text);
        GS_TRY(source->nodes.native_of(place.node, &native_));
        const NodeNote *note = source->notes.find(place.node);
        if (note) {
            kind_ = note->kind;
            return kOk;
        }
        NodeParams params;
        GS_TRY(source->graphs->node_params(thread, source->ref(), native_, &params));
        kind_ = params.kind;
        return kOk;
    }
    Status require(int32_t kind) const noexcept {
        if (kind_ == kind) return kOk;
        return fail(GS_ERROR_INVALID_ARGUMENT, "the node is of kind %d, the change is for nodes of kind %d", kind_,
                    kind);
    }
    // What the change brings in is added to the list that the executable keeps.
    Status require_holds() const noexcept {
        if (exec->holds) return kOk;
        return fail(GS_ERROR_NOT_SUPPORTED, "what the change refers to could not be kept: the node was added by other "
                                            "code, in a capture of the library, or an update has failed in the driver");
    }
    Status set(ThreadBlock &thread, const NodeParams &params) noexcept {
        return exec->graphs->exec_set_node(thread, exec->ref(), native_, params);
    }
    uintptr_t native() const noexcept { return native_; }
    int32_t kind() const noexcept { return kind_; }

    LockedExec exec;
    LockedGraph source;

private:
    uintptr_t native_ = 0;
    int32_t kind_ = GS_NODE_OTHER;
};

void lock_random_launches(ExecSlot &exec) noexcept {
    if (!exec.random) return;
    exec.owner.store(kManyOwners, std::memory_order_seq_cst); // launches take the mutex from now on
}

// An update has failed in a way that leaves open which graph the executable runs.
void hold_both(ThreadBlock &thread, ExecSlot &exec, const GraphSlot &graph) noexcept {
    const gs_error_info_t first = thread.pending; // the failure to be reported
    if (first.native_code == 0) return;           // the driver was not called
    if (exec.holds != graph.holds) exec.holds = nullptr;
    if (!add_modules(exec, graph).ok() || !add_random(exec, graph).ok())
        log_message(GS_LOG_WARNING, "executable graph %s may need what a graph holds whose update failed: %s",
                    describe_object(exec.handle.load(std::memory_order_relaxed)).text, pending_text());
    lock_random_launches(exec);
    thread.pending = first;
}

// The calling thread has the executable for itself.
Status update_own(ThreadBlock &thread, ExecSlot &exec, uint64_t handle, gs_graph_update_t *out) noexcept {
    GS_TRY(check_health(*exec.device));
    LockedGraph graph;
    GS_TRY(graph.find(handle));
    if (graph->use == GraphUse::Inside) return fail(GS_ERROR_NOT_PERMITTED, "the graph is part of another graph");
    if (graph->captured_into()) return fail(GS_ERROR_CAPTURING, "a stream is being captured into the graph");
    if (graph->device != exec.device)
        return fail(GS_ERROR_DEVICE_MISMATCH, "executable graph %s is of %s device %d, graph %s of %s device %d",
                    describe_object(exec.handle.load(std::memory_order_relaxed)).text, exec.device->backend->name(),
                    exec.device->ordinal, describe_object(handle).text, graph->device->backend->name(),
                    graph->device->ordinal);
    if (exec.holds) GS_TRY(prepare_holds(thread, *graph)); // it has, or may have, nodes that need a list
    GraphFailure failure;
    const Status status = exec.graphs->exec_update(thread, exec.ref(), graph->native, &failure);
    if (!status.ok() && failure.reason == GS_UPDATE_OK) {
        hold_both(thread, exec, *graph);
        return status;
    }
    if (status.ok()) {
        exec.holds = graph->holds;
        if (exec.modules != graph->modules) take_modules(exec, *graph); // the graph is an outermost one
        if (exec.random != graph->random) take_random(exec, *graph);
        lock_random_launches(exec);
    }
    out->reason = failure.reason;
    out->node = 0;
    if (failure.node) GS_TRY(graph->nodes.number_of(failure.node, &out->node));
    return kOk;
}

} // namespace

Status update_exec(ThreadBlock &thread, uint64_t exec, uint64_t handle, gs_graph_update_t *out) noexcept {
    {
        CallMark mark(thread);
        if (ExecSlot *own = own_exec(thread, exec)) return update_own(thread, *own, handle, out);
    }
    LockedExec locked;
    GS_TRY(locked.find(thread, exec));
    return update_own(thread, *locked, handle, out);
}

Status set_node(ThreadBlock &thread, const ExecNode &place, const gs_node_params_t &wanted) noexcept {
    GS_TRY(check_event(wanted));
    LockedNode node;
    GS_TRY(node.find(thread, place));
    GS_TRY(node.require(wanted.kind));
    if (needs_holds(wanted.kind)) GS_TRY(node.require_holds());
    NodeParams params;
    NodeNote note;
    GS_TRY(node_params(thread, *node.source, &*node.exec, wanted, &params, &note));
    return node.set(thread, params);
}

Status enable_node(ThreadBlock &thread, const ExecNode &place, bool on) noexcept {
    LockedNode node;
    GS_TRY(node.find(thread, place));
    const int32_t kind = node.kind();
    if (kind != GS_NODE_KERNEL && kind != GS_NODE_MEMCPY && kind != GS_NODE_MEMSET)
        return fail(GS_ERROR_INVALID_ARGUMENT, "a node of kind %d cannot be switched off", kind);
    return node.exec->graphs->exec_enable_node(thread, node.exec->ref(), node.native(), on);
}

} // namespace gs
