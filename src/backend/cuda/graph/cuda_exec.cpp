// SPDX-License-Identifier: Apache-2.0
// Executables: making, launching, ending them.
#include "backend/cuda/context/cuda_device.hpp"
#include "backend/cuda/driver/driver_table.hpp"
#include "backend/cuda/graph/cuda_graphs.hpp"
#include "backend/cuda/graph/node_params.hpp"
#include "backend/cuda/module/module_loader.hpp"

namespace gs::cuda {
namespace {

unsigned long long driver_flags(uint32_t flags) noexcept {
    unsigned long long result = 0;
    if (flags & GS_INSTANTIATE_AUTO_FREE) result |= CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH;
    if (flags & GS_INSTANTIATE_NODE_PRIORITY) result |= CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY;
    return result;
}

// A bad executable never latches the device: the driver objects to the graph.
const char *reason(CUgraphInstantiateResult result) noexcept {
    switch (result) {
    case CUDA_GRAPH_INSTANTIATE_INVALID_STRUCTURE: return "the graph has an invalid structure, such as a cycle";
    case CUDA_GRAPH_INSTANTIATE_NODE_OPERATION_NOT_SUPPORTED: return "a node's operation is not supported";
    case CUDA_GRAPH_INSTANTIATE_MULTIPLE_CTXS_NOT_SUPPORTED: return "the nodes belong to several contexts";
    default: return nullptr;
    }
}

// The failure may belong to earlier work although this call took effect. The executable would keep what the graph
// keeps.
void destroy_quietly(ThreadBlock &thread, CUgraphExec exec) noexcept {
    FailedCall call{g_driver.graph_exec_destroy.name};
    if (exec) (void)in_relaxed_mode(thread, &call, [&] { return g_driver.graph_exec_destroy(thread, exec); });
}

} // namespace

Status CudaGraphs::instantiate(ThreadBlock &thread, GraphRef graph, uint32_t flags, uintptr_t *out_exec,
                               GraphFailure *out_failure) noexcept {
    *out_failure = {};
    if (!g_driver.graph_instantiate.present()) return fail_absent(g_driver.graph_instantiate.name);
    Device &device = g_devices[graph.ordinal];
    GS_TRY(check_health(device));
    ContextScope scope(thread);
    GS_TRY(scope.enter_to_create(device));
    CUDA_GRAPH_INSTANTIATE_PARAMS params{};
    params.flags = driver_flags(flags);
    params.result_out = CUDA_GRAPH_INSTANTIATE_ERROR; // unless the driver says otherwise
    CUgraphExec exec = nullptr;
    FailedCall call{g_driver.graph_instantiate.name, GS_ERROR_INVALID_ARGUMENT};
    const CUresult result = in_relaxed_mode(
        thread, &call, [&] { return g_driver.graph_instantiate(thread, &exec, to_graph(graph), &params); });
    if (result == CUDA_SUCCESS) {
        *out_exec = reinterpret_cast<uintptr_t>(exec);
        return kOk;
    }
    if (params.result_out == CUDA_GRAPH_INSTANTIATE_SUCCESS) destroy_quietly(thread, exec);
    out_failure->node = reinterpret_cast<uintptr_t>(params.hErrNode_out);
    if (const char *why = reason(params.result_out))
        return fail_native(GS_ERROR_INVALID_ARGUMENT, {GS_BACKEND_CUDA, result, call.function}, "%s: %s", call.function,
                           why);
    return map_error(result, call, device);
}

Status CudaGraphs::exec_destroy(ThreadBlock &thread, GraphRef exec) noexcept {
    if (!g_driver.graph_exec_destroy.present()) return fail_absent(g_driver.graph_exec_destroy.name);
    Device &device = g_devices[exec.ordinal];
    if (device.health.lost()) return kOk; // it went with the context
    return ending_call(thread, device, g_driver.graph_exec_destroy, to_exec(exec));
}

Status CudaGraphs::exec_launch(ThreadBlock &thread, GraphRef exec, StreamRef stream) noexcept {
    Device &device = g_devices[stream.ordinal];
    ContextScope scope(thread);
    GS_TRY(scope.enter_for(stream));
    const CUresult result = g_driver.graph_launch(thread, to_exec(exec), to_stream(stream));
    if (result == CUDA_SUCCESS) return kOk;
    if (!g_driver.graph_launch.present()) return fail_absent(g_driver.graph_launch.name);
    return map_error(result, {g_driver.graph_launch.name, GS_ERROR_INVALID_ARGUMENT}, device); // graph memory
}

Status CudaGraphs::exec_upload(ThreadBlock &thread, GraphRef exec, StreamRef stream) noexcept {
    if (!g_driver.graph_upload.present()) return fail_absent(g_driver.graph_upload.name);
    Device &device = g_devices[stream.ordinal];
    ContextScope scope(thread);
    GS_TRY(scope.enter_for(stream));
    return relaxed_call(thread, device, g_driver.graph_upload, to_exec(exec), to_stream(stream));
}

// Changes of executables: by another graph, node by node, and nodes switched off.

namespace {

static_assert(static_cast<int>(GS_UPDATE_TOPOLOGY) == static_cast<int>(CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED));
static_assert(static_cast<int>(GS_UPDATE_ATTRIBUTES) ==
              static_cast<int>(CU_GRAPH_EXEC_UPDATE_ERROR_ATTRIBUTES_CHANGED));

// One node to change.
struct Change {
    ThreadBlock &thread;
    Device &device;
    CUgraphExec exec;
    CUgraphNode node;

    template <typename Set, typename... Params>
    Status with(const Set &set, Params... params) noexcept {
        return newer_call<GS_ERROR_INVALID_ARGUMENT>(thread, device, set, exec, node, params...);
    }
    // Kernels, copies and fills run in a context, which must be current.
    Status enter(ContextScope &scope) noexcept { return scope.enter(device); }
    CUcontext context() const noexcept { return device.context.load(std::memory_order_acquire); }
};

Status set_kernel(Change &change, const NodeParams &params) noexcept {
    ContextScope scope(change.thread);
    GS_TRY(change.enter(scope));
    const CUDA_KERNEL_NODE_PARAMS_v2 kernel = to_kernel_params(params);
    GS_TRY(allow_shared_memory(change.thread, change.device, kernel.func, kernel.sharedMemBytes));
    return change.with(g_driver.graph_exec_kernel_node_set_params, &kernel);
}

Status set_memcpy(Change &change, const NodeParams &params) noexcept {
    ContextScope scope(change.thread);
    GS_TRY(change.enter(scope));
    const CUDA_MEMCPY3D copy = to_memcpy_params(params);
    return change.with(g_driver.graph_exec_memcpy_node_set_params, &copy, change.context());
}

Status set_memset(Change &change, const NodeParams &params) noexcept {
    ContextScope scope(change.thread);
    GS_TRY(change.enter(scope));
    const CUDA_MEMSET_NODE_PARAMS_v1 fill = to_memset_params(params);
    return change.with(g_driver.graph_exec_memset_node_set_params, &fill, change.context());
}

} // namespace

Status CudaGraphs::exec_update(ThreadBlock &thread, GraphRef exec, uintptr_t graph,
                               GraphFailure *out_failure) noexcept {
    *out_failure = {};
    Device &device = g_devices[exec.ordinal];
    GS_TRY(check_health(device));
    if (!g_driver.graph_exec_update.present()) return fail_absent(g_driver.graph_exec_update.name);
    CUgraphExecUpdateResultInfo info{};
    const CUresult result = g_driver.graph_exec_update(thread, to_exec(exec), to_graph(graph), &info);
    if (result == CUDA_SUCCESS) return kOk;
    // NVIDIA's driver 580 returns it, and no reason, for a graph with memory that has an executable of its own.
    if (result == CUDA_ERROR_NOT_SUPPORTED) info.result = CU_GRAPH_EXEC_UPDATE_ERROR_NOT_SUPPORTED;
    if (result != CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE && result != CUDA_ERROR_NOT_SUPPORTED)
        return map_error(result, {g_driver.graph_exec_update.name, GS_ERROR_INVALID_ARGUMENT}, device);
    out_failure->reason = static_cast<int32_t>(info.result);
    out_failure->node = reinterpret_cast<uintptr_t>(info.errorNode);
    return fail_native(GS_ERROR_INVALID_ARGUMENT,
                       {GS_BACKEND_CUDA, static_cast<int32_t>(result), g_driver.graph_exec_update.name},
                       "%s refused the graph, reason %d: %s (%d)", g_driver.graph_exec_update.name,
                       static_cast<int>(info.result), error_text(result), static_cast<int>(result));
}

Status CudaGraphs::exec_set_node(ThreadBlock &thread, GraphRef exec, uintptr_t node,
                                 const NodeParams &params) noexcept {
    Device &device = g_devices[exec.ordinal];
    GS_TRY(check_health(device));
    Change change{thread, device, to_exec(exec), to_node(node)};
    switch (params.kind) {
    case GS_NODE_KERNEL: return set_kernel(change, params);
    case GS_NODE_MEMCPY: return set_memcpy(change, params);
    case GS_NODE_MEMSET: return set_memset(change, params);
    case GS_NODE_HOST: {
        const CUDA_HOST_NODE_PARAMS_v1 host = to_host_params(params);
        return change.with(g_driver.graph_exec_host_node_set_params, &host);
    }
    case GS_NODE_RECORD: return change.with(g_driver.graph_exec_event_record_node_set_event, to_event(params.event));
    case GS_NODE_WAIT: return change.with(g_driver.graph_exec_event_wait_node_set_event, to_event(params.event));
    default: return fail(GS_ERROR_INTERNAL, "nodes of kind %d cannot be changed", params.kind);
    }
}

Status CudaGraphs::exec_enable_node(ThreadBlock &thread, GraphRef exec, uintptr_t node, bool on) noexcept {
    Device &device = g_devices[exec.ordinal];
    GS_TRY(check_health(device));
    Change change{thread, device, to_exec(exec), to_node(node)};
    return change.with(g_driver.graph_node_set_enabled, on ? 1u : 0u);
}

Status CudaGraphs::exec_node_enabled(ThreadBlock &thread, GraphRef exec, uintptr_t node, bool *out) noexcept {
    Device &device = g_devices[exec.ordinal];
    GS_TRY(check_health(device));
    Change change{thread, device, to_exec(exec), to_node(node)};
    unsigned enabled = 0;
    GS_TRY(change.with(g_driver.graph_node_get_enabled, &enabled));
    *out = enabled != 0;
    return kOk;
}

} // namespace gs::cuda
