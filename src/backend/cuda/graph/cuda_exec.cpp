// SPDX-License-Identifier: Apache-2.0
// Executables: making, launching, ending them.
#include "backend/cuda/context/context_scope.hpp"
#include "backend/cuda/context/device_errors.hpp"
#include "backend/cuda/driver/native_words.hpp"
#include "backend/cuda/driver/relaxed_mode.hpp"
#include "backend/cuda/graph/cuda_graphs.hpp"

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
    FailedCall call{g_driver.graph_exec_destroy.name};
    const CUresult result =
        in_relaxed_mode(thread, &call, [&] { return g_driver.graph_exec_destroy(thread, to_exec(exec)); });
    if (result == CUDA_SUCCESS || result == CUDA_ERROR_DEINITIALIZED) return kOk;
    return map_error(result, call, device);
}

Status CudaGraphs::exec_launch(ThreadBlock &thread, GraphRef exec, StreamRef stream) noexcept {
    Device &device = g_devices[stream.ordinal];
    GS_TRY(check_health(device));
    ContextScope scope(thread);
    if (is_default_word(stream.native)) GS_TRY(scope.enter(device));
    const CUresult result = g_driver.graph_launch(thread, to_exec(exec), to_stream(stream));
    if (result == CUDA_SUCCESS) return kOk;
    if (!g_driver.graph_launch.present()) return fail_absent(g_driver.graph_launch.name);
    return map_error(result, {g_driver.graph_launch.name, GS_ERROR_INVALID_ARGUMENT}, device); // graph memory
}

Status CudaGraphs::exec_upload(ThreadBlock &thread, GraphRef exec, StreamRef stream) noexcept {
    if (!g_driver.graph_upload.present()) return fail_absent(g_driver.graph_upload.name);
    Device &device = g_devices[stream.ordinal];
    GS_TRY(check_health(device));
    ContextScope scope(thread);
    if (is_default_word(stream.native)) GS_TRY(scope.enter(device));
    FailedCall call{g_driver.graph_upload.name};
    const CUresult result =
        in_relaxed_mode(thread, &call, [&] { return g_driver.graph_upload(thread, to_exec(exec), to_stream(stream)); });
    return result == CUDA_SUCCESS ? kOk : map_error(result, call, device);
}

} // namespace gs::cuda
