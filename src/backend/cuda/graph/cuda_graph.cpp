// SPDX-License-Identifier: Apache-2.0
// The life of a graph, and of what must live as long.
#include <algorithm>
#include <new>
#include <vector>

#include "backend/cuda/context/cuda_device.hpp"
#include "backend/cuda/cuda_backend.hpp"
#include "backend/cuda/driver/driver_table.hpp"
#include "backend/cuda/graph/cuda_graphs.hpp"
#include "backend/cuda/graph/node_params.hpp"

namespace gs::cuda {
namespace {

constinit CudaGraphs g_graphs;

} // namespace

Graphs *CudaBackend::graphs() noexcept { return &g_graphs; }

Status CudaGraphs::graph_create(ThreadBlock &thread, int32_t ordinal, uintptr_t *out_graph) noexcept {
    Device &device = g_devices[ordinal];
    GS_TRY(check_health(device));
    CUgraph graph = nullptr;
    GS_TRY(newer_call(thread, device, g_driver.graph_create, &graph, 0u));
    *out_graph = reinterpret_cast<uintptr_t>(graph);
    return kOk;
}

// A graph is host memory, but its user objects may end with it.
Status CudaGraphs::graph_destroy(ThreadBlock &thread, GraphRef graph) noexcept {
    if (!g_driver.graph_destroy.present()) return fail_absent(g_driver.graph_destroy.name);
    return ending_call(thread, g_devices[graph.ordinal], g_driver.graph_destroy, to_graph(graph));
}

Status CudaGraphs::graph_keep(ThreadBlock &thread, uintptr_t graph, void (*release)(void *), void *arg) noexcept {
    if (!g_driver.user_object_create.present()) return fail_absent(g_driver.user_object_create.name);
    if (!g_driver.graph_retain_user_object.present()) return fail_absent(g_driver.graph_retain_user_object.name);
    CUuserObject object = nullptr;
    CUresult result = g_driver.user_object_create(thread, &object, arg, release, 1u,
                                                  static_cast<unsigned>(CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
    if (result != CUDA_SUCCESS) return map_error_no_device(result, {g_driver.user_object_create.name});
    // The graph takes over our reference. It may have done so even if the call failed, so the reference is not
    // released then.
    result = g_driver.graph_retain_user_object(thread, to_graph(graph), object, 1u,
                                               static_cast<unsigned>(CU_GRAPH_USER_OBJECT_MOVE));
    return result == CUDA_SUCCESS ? kOk : map_error_no_device(result, {g_driver.graph_retain_user_object.name});
}

// What graphs consist of, and copies of them.

namespace {

// The event of a record or wait node; of a node that is a graph, the graph that the node has for itself.
template <typename Get, typename Word>
Status get(ThreadBlock &thread, Device &device, const Get &function, uintptr_t node, Word *out) noexcept {
    return newer_call<GS_ERROR_INVALID_ARGUMENT>(thread, device, function, to_node(node), out);
}

template <typename Get, typename Word>
Status get_word(ThreadBlock &thread, Device &device, const Get &function, uintptr_t node, Word,
                uintptr_t *out) noexcept {
    Word word = nullptr;
    GS_TRY(get(thread, device, function, node, &word));
    *out = reinterpret_cast<uintptr_t>(word);
    return kOk;
}

Status get_params(ThreadBlock &thread, Device &device, uintptr_t node, NodeParams *out) noexcept {
    switch (out->kind) {
    case GS_NODE_KERNEL: {
        CUDA_KERNEL_NODE_PARAMS_v2 kernel{};
        GS_TRY(get(thread, device, g_driver.graph_kernel_node_get_params, node, &kernel));
        from_kernel_params(kernel, out);
        return kOk;
    }
    case GS_NODE_MEMCPY: {
        CUDA_MEMCPY3D copy{};
        GS_TRY(get(thread, device, g_driver.graph_memcpy_node_get_params, node, &copy));
        from_memcpy_params(copy, out);
        return kOk;
    }
    case GS_NODE_MEMSET: {
        CUDA_MEMSET_NODE_PARAMS_v1 fill{};
        GS_TRY(get(thread, device, g_driver.graph_memset_node_get_params, node, &fill));
        from_memset_params(fill, out);
        return kOk;
    }
    case GS_NODE_HOST: {
        CUDA_HOST_NODE_PARAMS_v1 host{};
        GS_TRY(get(thread, device, g_driver.graph_host_node_get_params, node, &host));
        out->host = {host.fn, host.userData};
        return kOk;
    }
    case GS_NODE_RECORD:
        return get_word(thread, device, g_driver.graph_event_record_node_get_event, node, CUevent{}, &out->event);
    case GS_NODE_WAIT:
        return get_word(thread, device, g_driver.graph_event_wait_node_get_event, node, CUevent{}, &out->event);
    case GS_NODE_GRAPH:
        return get_word(thread, device, g_driver.graph_child_graph_node_get_graph, node, CUgraph{}, &out->child);
    default: return kOk; // the driver does not report it
    }
}

// The driver tells edges that have data, as between programmatic launches, only to those that take the data too.
template <typename Element>
Status make_room(size_t count, std::vector<Element> *out) noexcept {
    try {
        out->resize(count);
        return kOk;
    } catch (const std::bad_alloc &) {
        return fail(GS_ERROR_OUT_OF_MEMORY, "no memory for the data of %zu edges", count);
    }
}

} // namespace

Status CudaGraphs::graph_clone(ThreadBlock &thread, GraphRef graph, uintptr_t *out_graph) noexcept {
    Device &device = g_devices[graph.ordinal];
    GS_TRY(check_health(device));
    CUgraph copy = nullptr;
    GS_TRY(newer_call<GS_ERROR_INVALID_ARGUMENT>(thread, device, g_driver.graph_clone, &copy, to_graph(graph)));
    *out_graph = reinterpret_cast<uintptr_t>(copy);
    return kOk;
}

Status CudaGraphs::graph_nodes(ThreadBlock &thread, GraphRef graph, uintptr_t *out_nodes, size_t capacity,
                               size_t *out_count) noexcept {
    Device &device = g_devices[graph.ordinal];
    GS_TRY(check_health(device));
    const auto get_nodes = [&](CUgraphNode *nodes, size_t *count) {
        return newer_call<GS_ERROR_INVALID_ARGUMENT>(thread, device, g_driver.graph_get_nodes, to_graph(graph), nodes,
                                                     count);
    };
    // Without an array the driver returns how many there are, with one how many it wrote.
    size_t total = 0;
    GS_TRY(get_nodes(nullptr, &total));
    if (size_t fits = std::min(capacity, total); fits > 0)
        GS_TRY(get_nodes(reinterpret_cast<CUgraphNode *>(out_nodes), &fits));
    *out_count = total;
    return kOk;
}

Status CudaGraphs::graph_edges(ThreadBlock &thread, GraphRef graph, uintptr_t *out_from, uintptr_t *out_to,
                               size_t capacity, size_t *out_count) noexcept {
    Device &device = g_devices[graph.ordinal];
    GS_TRY(check_health(device));
    if (!g_driver.graph_get_edges.present()) return fail_absent(g_driver.graph_get_edges.name);
    const FailedCall call{g_driver.graph_get_edges.name, GS_ERROR_INVALID_ARGUMENT};
    size_t total = 0;
    CUgraphNode *from = nullptr, *to = nullptr;
    CUresult result = g_driver.graph_get_edges(thread, to_graph(graph), from, to, &total);
    GS_TRY(status_of(result, call, device));
    if (size_t fits = std::min(capacity, total); fits > 0) {
        from = reinterpret_cast<CUgraphNode *>(out_from);
        to = reinterpret_cast<CUgraphNode *>(out_to);
        result = g_driver.graph_get_edges(thread, to_graph(graph), from, to, &fits);
        if (result == CUDA_ERROR_LOSSY_QUERY) {
            std::vector<CUgraphEdgeData> data;
            GS_TRY(make_room(fits, &data));
            result = g_driver.graph_get_edges_v2(thread, to_graph(graph), from, to, data.data(), &fits);
        }
        GS_TRY(status_of(result, call, device));
    }
    *out_count = total;
    return kOk;
}

Status CudaGraphs::node_params(ThreadBlock &thread, GraphRef graph, uintptr_t node, NodeParams *out) noexcept {
    Device &device = g_devices[graph.ordinal];
    GS_TRY(check_health(device));
    CUgraphNodeType type = CU_GRAPH_NODE_TYPE_EMPTY;
    GS_TRY(get(thread, device, g_driver.graph_node_get_type, node, &type));
    *out = {};
    out->kind = to_node_kind(type);
    return get_params(thread, device, node, out);
}

Status CudaGraphs::kernel_name(ThreadBlock &thread, GraphRef graph, const NodeParams &params,
                               const char **out_name) noexcept {
    *out_name = nullptr;
    if (!g_driver.func_get_name.present() || params.kernel.function == 0) return kOk;
    const CUresult result =
        g_driver.func_get_name(thread, out_name, reinterpret_cast<CUfunction>(params.kernel.function));
    if (result == CUDA_SUCCESS) return kOk;
    *out_name = nullptr;
    // The node's kernel may have been unloaded since.
    if (result == CUDA_ERROR_INVALID_HANDLE) return kOk;
    return map_error(result, {g_driver.func_get_name.name}, g_devices[graph.ordinal]);
}

Status CudaGraphs::node_degrees(ThreadBlock &thread, GraphRef graph, uintptr_t node, size_t *out_earlier,
                                size_t *out_later) noexcept {
    Device &device = g_devices[graph.ordinal];
    GS_TRY(check_health(device));
    const auto count = [&](const auto &function, const auto &with_data, size_t *out) -> Status {
        if (!function.present()) return fail_absent(function.name);
        CUgraphNode *none = nullptr; // without an array the driver returns how many there are
        CUresult result = function(thread, to_node(node), none, out);
        if (result == CUDA_ERROR_LOSSY_QUERY) {
            std::vector<CUgraphNode> nodes;
            std::vector<CUgraphEdgeData> data;
            GS_TRY(graph_edges(thread, graph, nullptr, nullptr, 0, out)); // at most all
            GS_TRY(make_room(*out, &nodes));
            GS_TRY(make_room(*out, &data));
            result = with_data(thread, to_node(node), nodes.data(), data.data(), out);
        }
        return status_of(result, {function.name, GS_ERROR_INVALID_ARGUMENT}, device);
    };
    GS_TRY(count(g_driver.graph_node_get_dependencies, g_driver.graph_node_get_dependencies_v2, out_earlier));
    return count(g_driver.graph_node_get_dependent_nodes, g_driver.graph_node_get_dependent_nodes_v2, out_later);
}

} // namespace gs::cuda
