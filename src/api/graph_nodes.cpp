// SPDX-License-Identifier: Apache-2.0
// Graphs built and seen node by node.
#include <cstdint>

#include "api/graph_arguments.hpp"
#include "base/sized_struct.hpp"
#include "core/graph/add_nodes.hpp"
#include "core/graph/graph_contents.hpp"
#include "core/graph/graph_text.hpp"
#include "core/hooks/tool_hooks.hpp"

using namespace gs::api;

namespace {

// body(thread, place, &node), where the arguments that all functions of this kind have are right. out_node may be an element
// of after, so that nodes can be added one behind the other; it is zeroed after a failure instead of on entry.
template <typename Body>
gs_status_t add(const Call &call, gs_graph_t graph, const gs_node_t *after, size_t count, gs_node_t *out_node,
                Body &&body) noexcept {
    gs_node_t node = 0;
    const gs_status_t status = boundary<Rule::Device>(call, [&](ThreadBlock &thread) -> Status {
        GS_INPUT(out_node);
        if (count > 0) GS_INPUT(after);
        return body(thread, NodePlace{handle_bits(graph), after, count}, &node);
    });
    if (out_node) *out_node = status == GS_OK ? node : 0;
    return status;
}

Status check_word(const void *address) noexcept {
    GS_INPUT(address);
    if (reinterpret_cast<uintptr_t>(address) % sizeof(uint32_t) == 0) return kOk;
    return fail(GS_ERROR_INVALID_ARGUMENT, "%p is not aligned to 4 bytes", address);
}

Status write_handles(const uint64_t *handles, size_t count, gs_graph_t *out) noexcept {
    for (size_t i = 0; i < count; ++i) out[i] = to_handle<gs_graph_t>(handles[i]);
    return kOk;
}

constexpr size_t kMostBodies = 1024;

} // namespace

extern "C" {

gs_status_t gs_graph_add_empty(gs_graph_t graph, const gs_node_t *after, size_t count, gs_node_t *out_node) {
    return add(__func__, graph, after, count, out_node,
               [&](ThreadBlock &thread, const NodePlace &place, gs_node_t *node) {
                   NodeParams params;
                   params.kind = GS_NODE_EMPTY;
                   return add_plain_node(thread, place, params, node);
               });
}

gs_status_t gs_graph_add_host(gs_graph_t graph, const gs_node_t *after, size_t count, void (*fn)(void *arg), void *arg,
                              gs_node_t *out_node) {
    return add(__func__, graph, after, count, out_node,
               [&](ThreadBlock &thread, const NodePlace &place, gs_node_t *node) -> Status {
                   GS_INPUT(fn);
                   return add_host_node(thread, place, fn, arg, node);
               });
}

gs_status_t gs_graph_add_kernel(gs_graph_t graph, const gs_node_t *after, size_t count, gs_kernel_t kernel,
                                const gs_launch_config_t *config, void **arguments, gs_node_t *out_node) {
    return add(__func__, graph, after, count, out_node,
               [&](ThreadBlock &thread, const NodePlace &place, gs_node_t *node) -> Status {
                   GS_INPUT(config);
                   gs_launch_config_t known{};
                   GS_TRY(read_sized(config, &known));
                   return add_kernel_node(thread, place, handle_bits(kernel), known, arguments, node);
               });
}

gs_status_t gs_graph_add_memcpy(gs_graph_t graph, const gs_node_t *after, size_t count, void *dst, const void *src,
                                size_t bytes, gs_node_t *out_node) {
    return add(__func__, graph, after, count, out_node,
               [&](ThreadBlock &thread, const NodePlace &place, gs_node_t *node) -> Status {
                   NodeParams params;
                   GS_TRY(copy_params(dst, src, bytes, &params));
                   return add_plain_node(thread, place, params, node);
               });
}

gs_status_t gs_graph_add_memset(gs_graph_t graph, const gs_node_t *after, size_t count, void *dst, int32_t value,
                                size_t bytes, gs_node_t *out_node) {
    return add(__func__, graph, after, count, out_node,
               [&](ThreadBlock &thread, const NodePlace &place, gs_node_t *node) -> Status {
                   NodeParams params;
                   GS_TRY(fill_params(dst, value, bytes, &params));
                   return add_plain_node(thread, place, params, node);
               });
}

gs_status_t gs_graph_add_record(gs_graph_t graph, const gs_node_t *after, size_t count, gs_event_t event,
                                gs_node_t *out_node) {
    return add(Call(__func__, event), graph, after, count, out_node,
               [&](ThreadBlock &thread, const NodePlace &place, gs_node_t *node) {
                   return add_event_node(thread, place, GS_NODE_RECORD, handle_bits(event), node);
               });
}

gs_status_t gs_graph_add_wait(gs_graph_t graph, const gs_node_t *after, size_t count, gs_event_t event,
                              gs_node_t *out_node) {
    return add(Call(__func__, event), graph, after, count, out_node,
               [&](ThreadBlock &thread, const NodePlace &place, gs_node_t *node) {
                   return add_event_node(thread, place, GS_NODE_WAIT, handle_bits(event), node);
               });
}

gs_status_t gs_graph_add_graph(gs_graph_t graph, const gs_node_t *after, size_t count, gs_graph_t child,
                               gs_node_t *out_node) {
    const gs_status_t status =
        add(__func__, graph, after, count, out_node, [&](ThreadBlock &thread, const NodePlace &place, gs_node_t *node) {
            return add_graph_node(thread, place, handle_bits(child), node);
        });
    if (tools::observed() && status == GS_OK) tools::saw_child(handle_bits(graph), *out_node, handle_bits(child));
    return status;
}

gs_status_t gs_graph_add_condition(gs_graph_t graph, const gs_node_t *after, size_t count, int32_t kind,
                                   uint32_t initial, gs_node_t *out_node, gs_graph_t *out_bodies, size_t bodies) {
    return add(__func__, graph, after, count, out_node,
               [&](ThreadBlock &thread, const NodePlace &place, gs_node_t *node) -> Status {
                   GS_INPUT(out_bodies);
                   uint64_t handles[kMostBodies] = {};
                   GS_TRY(add_condition_node(thread, place, kind, initial, bodies, handles, node));
                   return write_handles(handles, bodies, out_bodies);
               });
}

gs_status_t gs_graph_set_condition(gs_graph_t graph, const gs_node_t *after, size_t count, gs_graph_t owner,
                                   gs_node_t condition, const void *address, gs_node_t *out_node) {
    return add(__func__, graph, after, count, out_node,
               [&](ThreadBlock &thread, const NodePlace &place, gs_node_t *node) -> Status {
                   GS_TRY(check_word(address));
                   return add_set_condition_node(thread, place, handle_bits(owner), condition,
                                                 static_cast<const uint32_t *>(address), node);
               });
}

gs_status_t gs_graph_clone(gs_graph_t graph, gs_graph_t *out_graph) {
    zero(out_graph);
    const gs_status_t status = boundary<Rule::Device>(__func__, [&](ThreadBlock &thread) -> Status {
        GS_INPUT(out_graph);
        uint64_t handle = 0;
        GS_TRY(clone_graph(thread, handle_bits(graph), &handle));
        *out_graph = to_handle<gs_graph_t>(handle);
        return kOk;
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
    zero(out_count);
    return boundary<Rule::Device>(__func__, [&](ThreadBlock &thread) -> Status {
        GS_INPUT(out_count);
        if (capacity > 0) GS_INPUT(out_nodes);
        return list_nodes(thread, handle_bits(graph), out_nodes, capacity, out_count);
    });
}

gs_status_t gs_graph_edges(gs_graph_t graph, gs_node_t *out_nodes, size_t capacity, size_t *out_count) {
    zero(out_count);
    return boundary<Rule::Device>(__func__, [&](ThreadBlock &thread) -> Status {
        GS_INPUT(out_count);
        if (capacity > 0) GS_INPUT(out_nodes);
        return list_edges(thread, handle_bits(graph), out_nodes, capacity, out_count);
    });
}

gs_status_t gs_graph_node_info(gs_graph_t graph, gs_node_t node, gs_node_info_t *out_info) {
    return boundary<Rule::Device>(__func__, [&](ThreadBlock &thread) -> Status {
        GS_INPUT(out_info);
        gs_node_info_t info{};
        GS_TRY(describe_node(thread, handle_bits(graph), node, &info));
        return write_sized(out_info, info);
    });
}

gs_status_t gs_graph_node_native(gs_graph_t graph, gs_node_t node, uintptr_t *out_native) {
    zero(out_native);
    return boundary<Rule::Device>(__func__, [&](ThreadBlock &) -> Status {
        GS_INPUT(out_native);
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

} // extern "C"
