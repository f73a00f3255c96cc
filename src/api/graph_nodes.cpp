// SPDX-License-Identifier: Apache-2.0
// Graphs built and seen node by node, and changes of executable graphs.
#include <cstddef>
#include <cstdint>

#include "api/with.hpp"
#include "base/sized_struct.hpp"
#include "core/graph/graph_calls.hpp"
#include "core/hooks/tool_hooks.hpp"

using namespace gs::api;

namespace {

Status check_node_bytes(uint64_t bytes) noexcept {
    if (bytes >= 1 && bytes <= static_cast<uint64_t>(PTRDIFF_MAX)) return kOk;
    return fail(GS_ERROR_INVALID_ARGUMENT, "%llu bytes: a node works on at least one, and no object is that large",
                static_cast<unsigned long long>(bytes));
}

Status check_copy(const gs_node_params_t *params) noexcept {
    GS_INPUT(params->dst);
    GS_INPUT(params->src);
    return check_node_bytes(params->bytes);
}

Status check_fill(const gs_node_params_t *params) noexcept {
    GS_INPUT(params->dst);
    GS_TRY(check_node_bytes(params->bytes));
    if (params->value >= 0 && params->value <= 0xFF) return kOk;
    return fail(GS_ERROR_INVALID_ARGUMENT, "value %d does not fit into a byte (0 to 255)", params->value);
}

Status check_condition(const gs_node_params_t *params) noexcept {
    const int32_t kind = params->condition_kind;
    const size_t most = kind == GS_CONDITION_IF ? 2 : kind == GS_CONDITION_WHILE ? 1 : kMostBodies;
    if (kind < GS_CONDITION_IF || kind > GS_CONDITION_SWITCH)
        return fail(GS_ERROR_INVALID_ARGUMENT, "there is no condition of kind %d", kind);
    if (params->body_count >= 1 && params->body_count <= most) return kOk;
    return fail(GS_ERROR_INVALID_ARGUMENT, "%u bodies: a condition of this kind has 1 to %zu", params->body_count,
                most);
}

Status check_word(const gs_node_params_t *params) noexcept {
    GS_INPUT(params->src);
    if (reinterpret_cast<uintptr_t>(params->src) % sizeof(uint32_t) == 0) return kOk;
    return fail(GS_ERROR_INVALID_ARGUMENT, "%p is not aligned to 4 bytes", params->src);
}

// Pointers, sizes and numbers; handles are looked up later.
Status check_node(const gs_node_params_t *params) noexcept {
    if (params->flags != 0 && params->kind != GS_NODE_KERNEL)
        return fail(GS_ERROR_INVALID_ARGUMENT, "flags are 0x%x: only kernels have some", params->flags);
    switch (params->kind) {
    case GS_NODE_EMPTY:
    case GS_NODE_KERNEL:
    case GS_NODE_RECORD:
    case GS_NODE_WAIT:
    case GS_NODE_GRAPH: return kOk;
    case GS_NODE_HOST: GS_INPUT(params->host_function); return kOk;
    case GS_NODE_MEMCPY: return check_copy(params);
    case GS_NODE_MEMSET: return check_fill(params);
    case GS_NODE_CONDITION: return check_condition(params);
    case GS_NODE_SET_CONDITION: return check_word(params);
    default: return fail(GS_ERROR_INVALID_ARGUMENT, "nodes of kind %d cannot be added", params->kind);
    }
}

bool can_change(int32_t kind) noexcept {
    return kind == GS_NODE_KERNEL || kind == GS_NODE_MEMCPY || kind == GS_NODE_MEMSET || needs_holds(kind);
}

Status read_node(const gs_node_params_t *params, gs_node_params_t *out) noexcept {
    GS_INPUT(params);
    GS_TRY(read_sized(params, out));
    return check_node(out);
}

// With the event of a record or a wait, for the record of a failure.
Call node_call(const char *function, const gs_node_params_t *params) noexcept {
    Call call(function);
    if (params && params->struct_size >= offsetof(gs_node_params_t, event) + sizeof params->event &&
        (params->kind == GS_NODE_RECORD || params->kind == GS_NODE_WAIT))
        call.event = params->event;
    return call;
}

} // namespace

extern "C" {

// out_node may be an element of after, so that nodes can be added one behind the other: it is zeroed after a failure instead
// of on entry.
gs_status_t gs_graph_add_node(gs_graph_t graph, const gs_node_t *after, size_t count, const gs_node_params_t *params,
                              gs_node_t *out_node) {
    gs_node_t node = 0;
    gs_node_params_t wanted{};
    const gs_status_t status = boundary<Rule::Device>(node_call(__func__, params), [&](ThreadBlock &thread) -> Status {
        GS_INPUT(out_node);
        if (count > 0) GS_INPUT(after);
        GS_TRY(read_node(params, &wanted));
        return add_node(thread, NodePlace{handle_bits(graph), after, count}, wanted, &node);
    });
    if (out_node) *out_node = status == GS_OK ? node : 0;
    if (tools::observed() && status == GS_OK && wanted.kind == GS_NODE_GRAPH)
        tools::saw_child(handle_bits(graph), node, handle_bits(wanted.graph));
    return status;
}

gs_status_t gs_graph_node_bodies(gs_graph_t graph, gs_node_t node, gs_graph_t *out_bodies, size_t capacity,
                                 size_t *out_count) {
    return boundary<Rule::Device>(__func__, GS_OUT(out_count), [&](ThreadBlock &) -> Status {
        if (capacity > 0) GS_INPUT(out_bodies);
        return list_bodies(handle_bits(graph), node, out_bodies, capacity, out_count);
    });
}

gs_status_t gs_graph_clone(gs_graph_t graph, gs_graph_t *out_graph) {
    const gs_status_t status =
        make_object(__func__, GS_OUT(out_graph), [&](ThreadBlock &thread, uint64_t *handle) -> Status {
            return clone_graph(thread, handle_bits(graph), handle);
        });
    if (tools::observed() && status == GS_OK) tools::saw_clone(handle_bits(graph), handle_bits(*out_graph));
    return status;
}

gs_status_t gs_graph_info(gs_graph_t graph, gs_graph_summary_t *out_info) {
    return boundary<Rule::Device>(__func__, [&](ThreadBlock &thread) -> Status {
        GS_INPUT(out_info);
        gs_graph_summary_t info{};
        GS_TRY(describe_graph(thread, handle_bits(graph), &info));
        return write_sized(out_info, info);
    });
}

gs_status_t gs_graph_nodes(gs_graph_t graph, gs_node_t *out_nodes, size_t capacity, size_t *out_count) {
    return boundary<Rule::Device>(__func__, GS_OUT(out_count), [&](ThreadBlock &thread) -> Status {
        if (capacity > 0) GS_INPUT(out_nodes);
        return list_nodes(thread, handle_bits(graph), out_nodes, capacity, out_count);
    });
}

gs_status_t gs_graph_edges(gs_graph_t graph, gs_node_t *out_nodes, size_t capacity, size_t *out_count) {
    return boundary<Rule::Device>(__func__, GS_OUT(out_count), [&](ThreadBlock &thread) -> Status {
        if (capacity > 0) GS_INPUT(out_nodes);
        return list_edges(thread, handle_bits(graph), out_nodes, capacity, out_count);
    });
}

gs_status_t gs_graph_node_info(gs_graph_t graph, gs_node_t node, gs_node_params_t *out_info) {
    return boundary<Rule::Device>(__func__, [&](ThreadBlock &thread) -> Status {
        GS_INPUT(out_info);
        gs_node_params_t info{};
        GS_TRY(describe_node(thread, handle_bits(graph), node, &info));
        return write_sized(out_info, info);
    });
}

gs_status_t gs_graph_node_native(gs_graph_t graph, gs_node_t node, uintptr_t *out_native) {
    return boundary<Rule::Device>(__func__, GS_OUT(out_native), [&](ThreadBlock &) -> Status {
        uintptr_t native = 0;
        GS_TRY(native_node(handle_bits(graph), node, &native));
        *out_native = native;
        return kOk;
    });
}

gs_status_t gs_graph_write_dot(gs_graph_t graph, gs_status_t (*write)(void *arg, const char *text, size_t bytes),
                               void *arg) {
    return boundary<Rule::Device>(__func__, [&](ThreadBlock &thread) -> Status {
        GS_INPUT(write);
        return write_graph_text(thread, handle_bits(graph), write, arg);
    });
}

gs_status_t gs_graph_exec_update(gs_graph_exec_t exec, gs_graph_t graph, gs_graph_update_t *out_result) {
    if (tools::observed()) tools::before_release(handle_bits(exec));
    const gs_status_t status = boundary<Rule::Device>(__func__, [&](ThreadBlock &thread) -> Status {
        GS_INPUT(out_result);
        GS_TRY(check_struct_size(out_result->struct_size)); // before the executable changes
        gs_graph_update_t result{};
        GS_TRY(update_exec(thread, handle_bits(exec), handle_bits(graph), &result));
        return write_sized(out_result, result);
    });
    if (tools::observed() && status == GS_OK) tools::saw_exec(handle_bits(exec), handle_bits(graph));
    return status;
}

gs_status_t gs_graph_exec_set_node(gs_graph_exec_t exec, gs_node_t node, const gs_node_params_t *params) {
    gs_node_params_t wanted{};
    const gs_status_t status = boundary<Rule::Device>(node_call(__func__, params), [&](ThreadBlock &thread) -> Status {
        GS_TRY(read_node(params, &wanted));
        if (!can_change(wanted.kind))
            return fail(GS_ERROR_INVALID_ARGUMENT, "nodes of kind %d cannot change", wanted.kind);
        return set_node(thread, {handle_bits(exec), node}, wanted);
    });
    if (tools::observed() && status == GS_OK) tools::saw_exec_node(handle_bits(exec), node, wanted);
    return status;
}

gs_status_t gs_graph_exec_enable_node(gs_graph_exec_t exec, gs_node_t node, int32_t enabled) {
    const gs_status_t status = boundary<Rule::Device>(__func__, [&](ThreadBlock &thread) -> Status {
        if (enabled != 0 && enabled != 1)
            return fail(GS_ERROR_INVALID_ARGUMENT, "enabled is %d: it must be 1 or 0", enabled);
        return enable_node(thread, {handle_bits(exec), node}, enabled == 1);
    });
    if (tools::observed() && status == GS_OK) tools::saw_exec_switch(handle_bits(exec), node, enabled == 1);
    return status;
}

} // extern "C"
