// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "call.hpp"

using namespace layer;

static std::vector<node> list_of(const gs_node_t *after, size_t count) { return {after, after + count}; }

LAYER(gs_graph_create, gs_device_t on, uint32_t flags, gs_graph_t *out) {
    if (flags != 0) return gs_graph_create(on, flags, out);
    OR_C(out, gs_graph_create, on, flags, out);
    return give(out, [&] { return graph::create(on); });
}
LAYER(gs_graph_from_native, gs_device_t on, uintptr_t native, gs_graph_t *out) {
    OR_C(out, gs_graph_from_native, on, native, out);
    return give(out, [&] { return graph::from_native(on, native); });
}
LAYER(gs_graph_retain, gs_graph_t handle) {
    return status_of([&] { return graph::retain(graph_ref(handle)); },
                     [](graph &&owned) { static_cast<void>(owned.release()); });
}
LAYER(gs_graph_node_native, gs_graph_t handle, gs_node_t which, uintptr_t *out) {
    OR_C(out, gs_graph_node_native, handle, which, out);
    return give(out, [&] { return graph_ref(handle).native(which); });
}
LAYER(gs_graph_destroy, gs_graph_t handle) {
    return status_of([&] { return graph(handle).close(); });
}
LAYER(gs_graph_native, gs_graph_t handle, uintptr_t *out) {
    OR_C(out, gs_graph_native, handle, out);
    return give(out, [&] { return graph_ref(handle).native(); });
}
LAYER(gs_graph_keep, gs_graph_t handle, void (*release)(void *), void *arg) {
    if (!release) return gs_graph_keep(handle, release, arg);
    return status_of([&] { return graph_ref(handle).keep([=] { release(arg); }); });
}
LAYER(gs_graph_instantiate, gs_graph_t handle, uint32_t flags, gs_graph_exec_t *out) {
    OR_C(out, gs_graph_instantiate, handle, flags, out);
    graph owned(handle);
    const gs_status_t status = give(out, [&] { return owned.instantiate(static_cast<instantiate_flags>(flags)); });
    static_cast<void>(owned.release());
    return status;
}
LAYER(gs_graph_clone, gs_graph_t handle, gs_graph_t *out) {
    OR_C(out, gs_graph_clone, handle, out);
    graph owned(handle);
    const gs_status_t status = give(out, [&] { return owned.clone(); });
    static_cast<void>(owned.release());
    return status;
}
LAYER(gs_graph_exec_launch, gs_graph_exec_t handle, gs_stream_t stream) {
    return status_of([&] { return graph_exec_ref(handle).launch(stream_ref(stream)); });
}
LAYER(gs_graph_exec_upload, gs_graph_exec_t handle, gs_stream_t stream) {
    return status_of([&] { return graph_exec_ref(handle).upload(stream_ref(stream)); });
}
LAYER(gs_graph_exec_retain, gs_graph_exec_t handle) {
    return status_of([&] { return graph_exec::retain(graph_exec_ref(handle)); },
                     [](graph_exec &&owned) { static_cast<void>(owned.release()); });
}
LAYER(gs_graph_exec_native, gs_graph_exec_t handle, uintptr_t *out) {
    OR_C(out, gs_graph_exec_native, handle, out);
    return give(out, [&] { return graph_exec_ref(handle).native(); });
}
LAYER(gs_graph_exec_set_node, gs_graph_exec_t handle, gs_node_t which, const gs_node_params_t *params) {
    const graph_exec_ref exec(handle);
    if (!params || params->struct_size != sizeof *params) return gs_graph_exec_set_node(handle, which, params);
    switch (params->kind) {
    case GS_NODE_MEMSET:
        return status_of([&] { return exec.set_fill(which, params->dst, params->value, params->bytes); });
    case GS_NODE_MEMCPY:
        return status_of([&] { return exec.set_copy(which, params->dst, params->src, params->bytes); });
    case GS_NODE_HOST:
        return status_of([&] { return exec.set_host(which, params->host_function, params->host_argument); });
    case GS_NODE_RECORD: return status_of([&] { return exec.set_record(which, event_ref(params->event)); });
    case GS_NODE_WAIT: return status_of([&] { return exec.set_wait(which, event_ref(params->event)); });
    default: return status_of([&] { return exec.set_node(which, *params); });
    }
}
LAYER(gs_graph_exec_destroy, gs_graph_exec_t handle) {
    return status_of([&] { return graph_exec(handle).close(); });
}
LAYER(gs_graph_exec_enable_node, gs_graph_exec_t handle, gs_node_t which, int32_t enabled) {
    if (enabled != 0 && enabled != 1) return gs_graph_exec_enable_node(handle, which, enabled);
    return status_of([&] { return graph_exec_ref(handle).enable(which, enabled != 0); });
}
LAYER(gs_graph_exec_update, gs_graph_exec_t handle, gs_graph_t from, gs_graph_update_t *out) {
    if (!out || out->struct_size != sizeof *out) return gs_graph_exec_update(handle, from, out);
    return give_struct(out, [&] { return graph_exec_ref(handle).update(graph_ref(from)); });
}

LAYER(gs_graph_add_node, gs_graph_t handle, const gs_node_t *after, size_t count, const gs_node_params_t *params,
      gs_node_t *out) {
    if (!params || params->struct_size != sizeof *params || (!after && count != 0))
        return gs_graph_add_node(handle, after, count, params, out);
    OR_C(out, gs_graph_add_node, handle, after, count, params, out);
    const graph_ref to(handle);
    const std::vector<node> list = list_of(after, count);
    switch (params->kind) {
    case GS_NODE_EMPTY: return give(out, [&] { return to.add_empty(list); });
    case GS_NODE_MEMCPY: return give(out, [&] { return to.add_copy(list, params->dst, params->src, params->bytes); });
    case GS_NODE_MEMSET: return give(out, [&] { return to.add_fill(list, params->dst, params->value, params->bytes); });
    case GS_NODE_RECORD: return give(out, [&] { return to.add_record(list, event_ref(params->event)); });
    case GS_NODE_WAIT: return give(out, [&] { return to.add_wait(list, event_ref(params->event)); });
    case GS_NODE_GRAPH: return give(out, [&] { return to.add_graph(list, graph_ref(params->graph)); });
    case GS_NODE_SET_CONDITION:
        return give(
            out, [&] { return to.add_set_condition(list, graph_ref(params->graph), params->condition, params->src); });
    case GS_NODE_HOST:
        if (params->host_function)
            return give(out, [&] {
                return to.add_host(list, [call = params->host_function, arg = params->host_argument] { call(arg); });
            });
        [[fallthrough]];
    default: return give(out, [&] { return to.add_node(list, *params); });
    }
}
LAYER(gs_graph_info, gs_graph_t handle, gs_graph_summary_t *out) {
    if (!out || out->struct_size != sizeof *out) return gs_graph_info(handle, out);
    return give_struct(out, [&] { return graph_ref(handle).info(); });
}
LAYER(gs_graph_node_info, gs_graph_t handle, gs_node_t which, gs_node_params_t *out) {
    if (!out || out->struct_size != sizeof *out) return gs_graph_node_info(handle, which, out);
    return give_struct(out, [&] { return graph_ref(handle).info(which); });
}
LAYER(gs_graph_nodes, gs_graph_t handle, gs_node_t *nodes_out, size_t capacity, size_t *out) {
    if (!nodes_out || !out) return gs_graph_nodes(handle, nodes_out, capacity, out);
    *out = 0;
    return status_of([&] { return graph_ref(handle).contents(); },
                     [&](const std::vector<node> &found) {
                         *out = found.size();
                         std::copy_n(found.begin(), std::min(capacity, found.size()), nodes_out);
                     });
}
LAYER(gs_graph_edges, gs_graph_t handle, gs_node_t *ends, size_t capacity, size_t *out) {
    if (!ends || !out) return gs_graph_edges(handle, ends, capacity, out);
    *out = 0;
    return status_of([&] { return graph_ref(handle).edges(); },
                     [&](const std::vector<edge> &found) {
                         *out = 2 * found.size();
                         for (size_t i = 0; i < std::min(capacity / 2, found.size()); ++i)
                             ends[2 * i] = found[i].from, ends[2 * i + 1] = found[i].to;
                     });
}
LAYER(gs_stream_capture_info, gs_stream_t stream, gs_capture_info_t *out) {
    if (!out || out->struct_size != sizeof *out) return gs_stream_capture_info(stream, out);
    return give_struct(out, [&] { return capture_info(stream_ref(stream)); });
}
LAYER(gs_stream_capture_nodes, gs_stream_t stream, gs_node_t *nodes_out, size_t capacity, size_t *out) {
    if (!nodes_out || !out) return gs_stream_capture_nodes(stream, nodes_out, capacity, out);
    *out = 0;
    return status_of([&] { return capture_nodes(stream_ref(stream)); },
                     [&](const std::vector<node> &found) {
                         *out = found.size();
                         std::copy_n(found.begin(), std::min(capacity, found.size()), nodes_out);
                     });
}
LAYER(gs_stream_set_capture_nodes, gs_stream_t stream, const gs_node_t *next, size_t count, int32_t add) {
    if ((!next && count != 0) || (add != 0 && add != 1)) return gs_stream_set_capture_nodes(stream, next, count, add);
    const std::vector<node> list = list_of(next, count);
    return status_of([&] {
        return add ? add_capture_nodes(stream_ref(stream), list) : set_capture_nodes(stream_ref(stream), list);
    });
}
