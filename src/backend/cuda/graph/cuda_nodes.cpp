// SPDX-License-Identifier: Apache-2.0
// Nodes added to graphs.
#include <algorithm>

#include "backend/cuda/context/cuda_device.hpp"
#include "backend/cuda/graph/cuda_graphs.hpp"
#include "backend/cuda/graph/node_params.hpp"
#include "backend/cuda/module/module_loader.hpp"
#include "backend/cuda/module/own_ptx.hpp"

namespace gs::cuda {
namespace {

// One node to add. The context of the device is current.
struct Addition {
    ThreadBlock &thread;
    Device &device;
    ContextScope &scope;
    CUgraph graph;
    const CUgraphNode *after;
    size_t count;
    CUgraphNode node = nullptr;

    template <typename Add, typename... Params>
    Status with(const Add &add, Params... params) noexcept {
        return newer_call<GS_ERROR_INVALID_ARGUMENT>(thread, device, add, &node, graph, after, count, params...);
    }
    CUcontext context() const noexcept { return device.context.load(std::memory_order_acquire); }
};

// If it fails, the node is taken back.
Status set_attributes(const Addition &addition, LaunchAttributes &attributes) noexcept {
    const auto &set = g_driver.graph_kernel_node_set_attribute;
    for (const CUlaunchAttribute &attribute : attributes) {
        const CUresult result = set(addition.thread, addition.node, attribute.id, &attribute.value);
        if (result == CUDA_SUCCESS) continue;
        (void)g_driver.graph_destroy_node(addition.thread, addition.node);
        return map_error(result, {set.name, GS_ERROR_INVALID_ARGUMENT}, addition.device);
    }
    return kOk;
}

Status add_kernel(Addition &addition, const NodeParams &params) noexcept {
    const CUDA_KERNEL_NODE_PARAMS_v2 kernel = to_kernel_params(params);
    GS_TRY(allow_shared_memory(addition.thread, addition.device, kernel.func, kernel.sharedMemBytes));
    const gs_launch_config_t &config = params.kernel.config;
    if (!has_attributes(config)) return addition.with(g_driver.graph_add_kernel_node, &kernel);
    if (!g_driver.graph_kernel_node_set_attribute.present())
        return fail_absent(g_driver.graph_kernel_node_set_attribute.name);
    LaunchAttributes attributes;
    GS_TRY(attributes.fill(addition.thread, addition.device, addition.scope, config));
    GS_TRY(addition.with(g_driver.graph_add_kernel_node, &kernel));
    return set_attributes(addition, attributes);
}

Status add_memcpy(Addition &addition, const NodeParams &params) noexcept {
    const CUDA_MEMCPY3D copy = to_memcpy_params(params);
    return addition.with(g_driver.graph_add_memcpy_node, &copy, addition.context());
}

Status add_memset(Addition &addition, const NodeParams &params) noexcept {
    const CUDA_MEMSET_NODE_PARAMS_v1 fill = to_memset_params(params);
    return addition.with(g_driver.graph_add_memset_node, &fill, addition.context());
}

Status add_host(Addition &addition, const NodeParams &params) noexcept {
    const CUDA_HOST_NODE_PARAMS_v1 host = to_host_params(params);
    return addition.with(g_driver.graph_add_host_node, &host);
}

Status add_condition(Addition &addition, const NodeParams &params) noexcept {
    CUgraphNodeParams driver{};
    driver.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
    driver.conditional.handle = params.condition.handle;
    driver.conditional.type = static_cast<CUgraphConditionalNodeType>(params.condition.type);
    driver.conditional.size = params.condition.count;
    driver.conditional.ctx = addition.context();
    const CUgraphEdgeData *no_edge_data = nullptr;
    GS_TRY(newer_call<GS_ERROR_INVALID_ARGUMENT>(addition.thread, addition.device, g_driver.graph_add_node,
                                                 &addition.node, addition.graph, addition.after, no_edge_data,
                                                 addition.count, &driver));
    // The driver's array of the bodies belongs to the driver.
    for (uint32_t i = 0; i < params.condition.count; ++i)
        params.condition.bodies[i] = reinterpret_cast<uintptr_t>(driver.conditional.phGraph_out[i]);
    return kOk;
}

Status add_set_condition(Addition &addition, const NodeParams &params) noexcept {
    CUfunction function = nullptr;
    GS_TRY(own_kernel(addition.thread, addition.device, addition.device.condition_kernel, kConditionPtx,
                      kConditionKernelName, &function));
    uint64_t handle = params.set_condition.handle;
    const uint32_t *word = params.set_condition.word;
    void *arguments[] = {&handle, &word};
    NodeParams kernel;
    kernel.kernel.function = reinterpret_cast<uintptr_t>(function);
    kernel.kernel.arguments = arguments;
    gs_launch_config_t &one = kernel.kernel.config;
    one.grid_x = one.grid_y = one.grid_z = one.block_x = one.block_y = one.block_z = 1;
    return add_kernel(addition, kernel);
}

Status add(Addition &addition, const NodeParams &params) noexcept {
    switch (params.kind) {
    case GS_NODE_EMPTY: return addition.with(g_driver.graph_add_empty_node);
    case GS_NODE_HOST: return add_host(addition, params);
    case GS_NODE_KERNEL: return add_kernel(addition, params);
    case GS_NODE_MEMCPY: return add_memcpy(addition, params);
    case GS_NODE_MEMSET: return add_memset(addition, params);
    case GS_NODE_RECORD: return addition.with(g_driver.graph_add_event_record_node, to_event(params.event));
    case GS_NODE_WAIT: return addition.with(g_driver.graph_add_event_wait_node, to_event(params.event));
    case GS_NODE_GRAPH: return addition.with(g_driver.graph_add_child_graph_node, to_graph(params.child));
    case GS_NODE_CONDITION: return add_condition(addition, params);
    case GS_NODE_SET_CONDITION: return add_set_condition(addition, params);
    default: return fail(GS_ERROR_INTERNAL, "nodes of kind %d cannot be added", params.kind);
    }
}

} // namespace

Status CudaGraphs::node_add(ThreadBlock &thread, GraphRef graph, const uintptr_t *after, size_t count,
                            const NodeParams &params, uintptr_t *out_node) noexcept {
    Device &device = g_devices[graph.ordinal];
    GS_TRY(check_health(device));
    ContextScope scope(thread);
    GS_TRY(scope.enter_to_create(device));
    Addition addition{thread, device, scope, to_graph(graph), reinterpret_cast<const CUgraphNode *>(after), count};
    GS_TRY(add(addition, params));
    *out_node = reinterpret_cast<uintptr_t>(addition.node);
    return kOk;
}

Status CudaGraphs::add_edges(ThreadBlock &thread, GraphRef graph, const uintptr_t *from, const uintptr_t *to,
                             size_t count) noexcept {
    Device &device = g_devices[graph.ordinal];
    GS_TRY(check_health(device));
    return newer_call<GS_ERROR_INVALID_ARGUMENT>(thread, device, g_driver.graph_add_dependencies, to_graph(graph),
                                                 reinterpret_cast<const CUgraphNode *>(from),
                                                 reinterpret_cast<const CUgraphNode *>(to), count);
}

Status CudaGraphs::node_remove(ThreadBlock &thread, GraphRef graph, uintptr_t node) noexcept {
    Device &device = g_devices[graph.ordinal];
    GS_TRY(check_health(device));
    return newer_call<GS_ERROR_INVALID_ARGUMENT>(thread, device, g_driver.graph_destroy_node,
                                                 reinterpret_cast<CUgraphNode>(node));
}

Status CudaGraphs::condition_create(ThreadBlock &thread, GraphRef graph, uint32_t initial,
                                    uint64_t *out_handle) noexcept {
    Device &device = g_devices[graph.ordinal];
    GS_TRY(check_health(device));
    if (!g_driver.graph_conditional_handle_create.present())
        return fail_absent(g_driver.graph_conditional_handle_create.name);
    ContextScope scope(thread);
    GS_TRY(scope.enter_to_create(device));
    CUgraphConditionalHandle handle = 0;
    GS_TRY(driver_call<GS_ERROR_INVALID_ARGUMENT>(thread, device, g_driver.graph_conditional_handle_create, &handle,
                                                  to_graph(graph), device.context.load(std::memory_order_acquire),
                                                  initial, unsigned{CU_GRAPH_COND_ASSIGN_DEFAULT}));
    *out_handle = handle;
    return kOk;
}

} // namespace gs::cuda
