// SPDX-License-Identifier: Apache-2.0
#include "base/log.hpp"
#include "base/status.hpp"
#include "core/graph/graph_calls.hpp"
#include "core/names.hpp"

namespace gs {
namespace {

constexpr uintptr_t kFirstPointer = 4096;
constexpr uintptr_t kEndOfUserSpace = uintptr_t{1} << 47;
constexpr uintptr_t kPointerAlignment = 8;

} // namespace

Status new_graph_slot(Device &device, GraphSlot **out) noexcept {
    Graphs *graphs = nullptr;
    GS_TRY(graphs_of(device, &graphs));
    GraphSlot *slot = take_graph_slot();
    if (!slot) return no_slot(Kind::Graph);
    slot->root.store(slot, std::memory_order_release);
    slot->device = &device;
    slot->graphs = graphs;
    slot->native = 0;
    slot->owned = true;
    slot->borrowed = false;
    slot->use = GraphUse::Free;
    slot->level = 0;
    slot->body_captured = false;
    slot->bodies_captured = 0;
    slot->inside = nullptr;
    slot->sibling = nullptr;
    slot->shared = false;
    slot->given_out.store(false, std::memory_order_relaxed);
    *out = slot;
    return kOk;
}

Status create_graph(ThreadBlock &thread, Device &device, uint64_t *out_handle) noexcept {
    GS_TRY(check_health(device));
    GraphSlot *slot = nullptr;
    GS_TRY(new_graph_slot(device, &slot));
    const Status status = slot->graphs->graph_create(thread, device.ordinal, &slot->native);
    if (!status.ok()) {
        give_graph_slot(*slot);
        return status;
    }
    *out_handle = publish_graph(*slot);
    return kOk;
}

Status wrap_graph(ThreadBlock &thread, Device &device, uintptr_t native, uint64_t *out_handle) noexcept {
    if (native < kFirstPointer || native >= kEndOfUserSpace || native % kPointerAlignment != 0)
        return fail(GS_ERROR_INVALID_HANDLE, "%#zx cannot be a driver's graph: those have aligned user-space addresses",
                    static_cast<size_t>(native));
    GS_TRY(check_health(device));
    GraphSlot *slot = nullptr;
    GS_TRY(new_graph_slot(device, &slot));
    const Status status = slot->graphs->graph_adopt(thread, {device.ordinal, native});
    if (!status.ok()) {
        give_graph_slot(*slot);
        return status;
    }
    slot->native = native;
    slot->owned = false;
    slot->shared = true;
    *out_handle = publish_graph(*slot);
    return kOk;
}

uint64_t put_inside(GraphSlot &parent, GraphSlot &slot, uintptr_t native) noexcept {
    slot.root.store(parent.root.load(std::memory_order_relaxed), std::memory_order_release);
    slot.native = native;
    slot.owned = false;
    slot.use = GraphUse::Inside;
    slot.level = parent.level + 1;
    slot.borrowed = true;
    slot.sibling = parent.inside;
    parent.inside = &slot;
    return publish_graph(slot);
}

void give_graph_slots(GraphSlot &slot) noexcept {
    while (GraphSlot *inside = slot.inside) {
        slot.inside = inside->sibling;
        give_graph_slots(*inside);
    }
    give_graph_slot(slot);
}

void destroy_native(ThreadBlock &thread, const GraphSlot &graph, uintptr_t native) noexcept {
    const Status status = graph.graphs->graph_destroy(thread, {graph.device->ordinal, native});
    if (status.ok()) return;
    log_message(GS_LOG_WARNING, "destroying a graph of %s device %d failed: %s: %s", graph.device->backend->name(),
                graph.device->ordinal, status_name(status.code), pending_text());
}

Status release_graph(ThreadBlock &thread, uint64_t handle) noexcept {
    GraphSlot *ended = nullptr;
    {
        LockedGraph graph;
        GS_TRY(graph.find(handle));
        if (graph->borrowed) return refuse_borrowed(*graph);
        // Captures keep it. The end of one into the graph itself gives a reference to the caller; otherwise it is destroyed
        // with the last of them.
        if (release_reference(*graph) != GraphEnd::Ended) return kOk;
        if (graph->owned) destroy_native(thread, *graph, graph->native);
        ended = &*graph;
    }
    give_graph_slots(*ended);
    return kOk;
}

} // namespace gs
