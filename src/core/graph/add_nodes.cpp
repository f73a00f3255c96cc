// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <new>

#include "base/sort.hpp"
#include "core/event/event_cache.hpp"
#include "core/event/event_calls.hpp"
#include "core/event/event_hot.hpp"
#include "core/graph/graph_calls.hpp"
#include "core/graph/graph_holds.hpp"
#include "core/lookup.hpp"
#include "core/names.hpp"
#include "core/thread/current_stream.hpp"
#include "core/work/host_call.hpp"
#include "core/work/kernels.hpp"
#include "handle/grace.hpp"

namespace gs {
namespace {

// On the dispatcher, which creates no events: what it destroys is for others to reuse.
void let_go_of_event(void *event) noexcept {
    ThreadBlock *thread = this_thread();
    CoreThread *core = thread ? core_thread(*thread) : nullptr;
    if (!core) return;
    release_for_graph(*thread, reinterpret_cast<uint64_t>(event)).ignore();
    give_all_events(core->events);
}

// The reference that was taken for the graph becomes the graph's.
Status give_to(GraphHolds &holds, GraphHolds::Release release, void *what) noexcept {
    bool known = false;
    const Status status = holds.add(release, what, &known);
    if (!status.ok() || known) release(what);
    return status;
}

// Captures alone give an edge the data that lets a kernel start early.
Status check_config(const gs_launch_config_t &config, bool is_change) noexcept {
    if (!config.grid_x || !config.grid_y || !config.grid_z || !config.block_x || !config.block_y || !config.block_z)
        return fail(GS_ERROR_INVALID_ARGUMENT, "grid (%u, %u, %u), block (%u, %u, %u): a dimension is 0", config.grid_x,
                    config.grid_y, config.grid_z, config.block_x, config.block_y, config.block_z);
    if (!has_attributes(config)) return kOk;
    if (is_change)
        return fail(GS_ERROR_INVALID_ARGUMENT,
                    "a node keeps its attributes: leave flags, cluster, priority and event 0");
    if (config.programmatic_event)
        return fail(GS_ERROR_INVALID_ARGUMENT, "a kernel's node has no programmatic event: add a node behind it that "
                                               "records the event");
    if (config.flags & GS_LAUNCH_PROGRAMMATIC)
        return fail(GS_ERROR_INVALID_ARGUMENT, "a node that is added cannot have GS_LAUNCH_PROGRAMMATIC: capture the "
                                               "launches of both kernels with gs_stream_begin_capture_to_graph()");
    return check_attributes(config);
}

gs_launch_config_t config_of(const gs_node_params_t &wanted) noexcept {
    gs_launch_config_t config{};
    config.struct_size = sizeof config;
    config.grid_x = wanted.grid_x;
    config.grid_y = wanted.grid_y;
    config.grid_z = wanted.grid_z;
    config.block_x = wanted.block_x;
    config.block_y = wanted.block_y;
    config.block_z = wanted.block_z;
    config.shared_memory_bytes = wanted.shared_memory_bytes;
    config.flags = wanted.flags;
    config.cluster_x = wanted.cluster_x;
    config.cluster_y = wanted.cluster_y;
    config.cluster_z = wanted.cluster_z;
    config.priority = wanted.priority;
    config.programmatic_event = wanted.event;
    return config;
}

// A record must be of the graph's device; a wait may be for an event of any device of the backend.
Status native_event(const GraphSlot &graph, EventSlot &event, int32_t kind, uintptr_t *out) noexcept {
    const Device *device = event.device.load(std::memory_order_acquire);
    if (!device || (kind == GS_NODE_RECORD && device != graph.device))
        GS_TRY(bind_event(event, *graph.device));
    else if (device->backend != graph.device->backend)
        return fail(GS_ERROR_DEVICE_MISMATCH, "the event is of %s device %d, the graph of %s device %d",
                    device->backend->name(), device->ordinal, graph.device->backend->name(), graph.device->ordinal);
    else
        GS_TRY(check_health(*device));
    return native_for_graph(event, out);
}

Status host_params(GraphHolds &holds, const gs_node_params_t &wanted, NodeParams *out) noexcept {
    GraphCall call{};
    GS_TRY(make_graph_call(wanted.host_function, wanted.host_argument, &call));
    GS_TRY(give_to(holds, end_graph_call, call.arg));
    out->host = {call.fn, call.arg};
    return kOk;
}

Status kernel_params(ThreadBlock &thread, GraphSlot &graph, ExecSlot *exec, const gs_node_params_t &wanted,
                     NodeParams *out, NodeNote *out_note) noexcept {
    ModuleList *modules = nullptr;
    GS_TRY(exec ? modules_of(*exec, &modules) : modules_of(thread, graph, &modules));
    const gs_launch_config_t config = config_of(wanted);
    GS_TRY(check_config(config, exec != nullptr));
    CallMark mark(thread);
    const KernelSlot *kernel = nullptr;
    GS_TRY(required_kernel(handle_bits(wanted.kernel), *graph.device, &kernel));
    try {
        out_note->kind = GS_NODE_KERNEL;
        out_note->name = kernel->name;
    } catch (const std::bad_alloc &) {
        return fail(GS_ERROR_OUT_OF_MEMORY, "no memory for the name of a kernel");
    }
    out->kernel = {kernel->native, config, wanted.arguments};
    return modules->add(*kernel->loaded);
}

Status find_event(ThreadBlock &thread, const GraphSlot &graph, const gs_node_params_t &wanted,
                  NodeParams *out) noexcept {
    CallMark mark(thread);
    EventSlot *event = nullptr;
    GS_TRY(required_event(thread, handle_bits(wanted.event), &event));
    return native_event(graph, *event, wanted.kind, &out->event);
}

Status holds_for(ThreadBlock &thread, GraphSlot &graph, ExecSlot *exec, GraphHolds **out) noexcept {
    if (!exec) return holds_of(thread, graph, out);
    *out = exec->holds;
    return kOk;
}

Status event_params(ThreadBlock &thread, GraphSlot &graph, ExecSlot *exec, const gs_node_params_t &wanted,
                    NodeParams *out, NodeNote *out_note) noexcept {
    GS_TRY(find_event(thread, graph, wanted, out));
    GS_TRY(note_name(wanted.kind, handle_bits(wanted.event), out_note));
    GraphHolds *holds = nullptr;
    GS_TRY(holds_for(thread, graph, exec, &holds));
    return hold_event(thread, *holds, handle_bits(wanted.event));
}

} // namespace

Status node_params(ThreadBlock &thread, GraphSlot &graph, ExecSlot *exec, const gs_node_params_t &wanted,
                   NodeParams *out, NodeNote *out_note) noexcept {
    out->kind = wanted.kind;
    switch (wanted.kind) {
    case GS_NODE_MEMCPY: out->copy = {wanted.dst, wanted.src, wanted.bytes}; return kOk;
    case GS_NODE_MEMSET: out->fill = {wanted.dst, static_cast<uint8_t>(wanted.value), wanted.bytes}; return kOk;
    case GS_NODE_KERNEL: return kernel_params(thread, graph, exec, wanted, out, out_note);
    case GS_NODE_RECORD:
    case GS_NODE_WAIT: return event_params(thread, graph, exec, wanted, out, out_note);
    case GS_NODE_HOST: {
        GraphHolds *holds = nullptr;
        GS_TRY(holds_for(thread, graph, exec, &holds));
        return host_params(*holds, wanted, out);
    }
    default: return kOk;
    }
}

Status hold_event(ThreadBlock &thread, GraphHolds &holds, uint64_t handle) noexcept {
    GS_TRY(retain_for_graph(thread, handle));
    return give_to(holds, let_go_of_event, reinterpret_cast<void *>(handle)); // NOLINT: a number
}

Status note_name(int32_t kind, uint64_t handle, NodeNote *out) noexcept {
    const NameText name = name_of_object(handle);
    if (name.text[0] == '\0') return kOk;
    try {
        out->kind = kind;
        out->name = name.text;
        return kOk;
    } catch (const std::bad_alloc &) {
        return fail(GS_ERROR_OUT_OF_MEMORY, "no memory for the name of a node");
    }
}

Status check_event(const gs_node_params_t &wanted) noexcept {
    if (wanted.kind != GS_NODE_RECORD && wanted.kind != GS_NODE_WAIT) return kOk;
    const uint64_t event = handle_bits(wanted.event);
    return event_slots().find(event) ? kOk : no_such_object(Kind::Event, event);
}

namespace {

Status refuse_twice() noexcept {
    return fail(GS_ERROR_INVALID_ARGUMENT, "a node is named twice among the predecessors");
}

// In the caller's order: an executable is updated only by a graph whose nodes got their predecessors in the same order.
Status predecessors(const GraphSlot &graph, const NodePlace &place, std::vector<uintptr_t> *out) noexcept {
    GS_TRY(graph.nodes.natives_of(place.after, place.count, out));
    if (place.count < 2) return kOk;
    if (place.count == 2) return (*out)[0] == (*out)[1] ? refuse_twice() : kOk;
    try {
        std::vector<uintptr_t> sorted(*out);
        sort_elements(sorted.data(), sorted.size());
        return std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end() ? kOk : refuse_twice();
    } catch (const std::bad_alloc &) {
        return fail(GS_ERROR_OUT_OF_MEMORY, "no memory for the predecessors of a node");
    }
}

} // namespace

Status remember(ThreadBlock &thread, GraphSlot &graph, uintptr_t native, NodeNote &&note, gs_node_t *out) noexcept {
    gs_node_t number = 0;
    Status status = graph.nodes.number_of(native, &number);
    try {
        if (status.ok() && note.kind != GS_NODE_OTHER) graph.notes.add(number, static_cast<NodeNote &&>(note));
    } catch (const std::bad_alloc &) {
        status = fail(GS_ERROR_OUT_OF_MEMORY, "no memory for another node");
    }
    if (!status.ok()) {
        take_back(thread, graph, native);
        return status;
    }
    *out = number;
    return kOk;
}

void take_back(ThreadBlock &thread, GraphSlot &graph, uintptr_t native) noexcept {
    const gs_error_info_t first = thread.pending; // the failure to be reported
    graph.graphs->node_remove(thread, graph.ref(), native).ignore();
    thread.pending = first;
    graph.nodes.forget(native);
}

Status check_addition(const GraphSlot &graph, const NodePlace &place, int32_t kind,
                      std::vector<uintptr_t> *out_after) noexcept {
    GS_TRY(check_health(*graph.device));
    if (graph.use == GraphUse::Inside && needs_holds(kind)) return refuse_in_body();
    return predecessors(graph, place, out_after);
}

Status add_native(ThreadBlock &thread, GraphSlot &graph, const std::vector<uintptr_t> &after, const NodeParams &params,
                  NodeNote note, gs_node_t *out) noexcept {
    uintptr_t native = 0;
    GS_TRY(graph.graphs->node_add(thread, graph.ref(), after.data(), after.size(), params, &native));
    return remember(thread, graph, native, static_cast<NodeNote &&>(note), out);
}

Status add_node(ThreadBlock &thread, const NodePlace &place, const gs_node_params_t &wanted, gs_node_t *out) noexcept {
    switch (wanted.kind) {
    case GS_NODE_GRAPH: return add_graph_node(thread, place, handle_bits(wanted.graph), out);
    case GS_NODE_CONDITION: return add_condition_node(thread, place, wanted, out);
    case GS_NODE_SET_CONDITION: return add_set_condition_node(thread, place, wanted, out);
    default: break;
    }
    LockedGraph graph;
    GS_TRY(graph.find(place.graph));
    GS_TRY(check_event(wanted));
    std::vector<uintptr_t> after;
    GS_TRY(check_addition(*graph, place, wanted.kind, &after));
    NodeParams params;
    NodeNote note;
    GS_TRY(node_params(thread, *graph, nullptr, wanted, &params, &note));
    return add_native(thread, *graph, after, params, static_cast<NodeNote &&>(note), out);
}

} // namespace gs
