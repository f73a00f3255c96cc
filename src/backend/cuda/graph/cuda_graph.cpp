// SPDX-License-Identifier: Apache-2.0
// The life of a graph, and of what must live as long.
#include "backend/cuda/context/cuda_device.hpp"
#include "backend/cuda/context/device_errors.hpp"
#include "backend/cuda/cuda_backend.hpp"
#include "backend/cuda/driver/relaxed_mode.hpp"
#include "backend/cuda/graph/cuda_graphs.hpp"

namespace gs::cuda {
namespace {

constinit CudaGraphs g_graphs;

} // namespace

Graphs *CudaBackend::graphs() noexcept { return &g_graphs; }

Status CudaGraphs::graph_create(ThreadBlock &thread, int32_t ordinal, uintptr_t *out_graph) noexcept {
    if (!g_driver.graph_create.present()) return fail_absent(g_driver.graph_create.name);
    Device &device = g_devices[ordinal];
    GS_TRY(check_health(device));
    CUgraph graph = nullptr;
    const CUresult result = g_driver.graph_create(thread, &graph, 0u);
    if (result != CUDA_SUCCESS) return map_error(result, {g_driver.graph_create.name}, device);
    *out_graph = reinterpret_cast<uintptr_t>(graph);
    return kOk;
}

// A graph is host memory, but its user objects may end with it.
Status CudaGraphs::graph_destroy(ThreadBlock &thread, GraphRef graph) noexcept {
    if (!g_driver.graph_destroy.present()) return fail_absent(g_driver.graph_destroy.name);
    FailedCall call{g_driver.graph_destroy.name};
    const CUresult result =
        in_relaxed_mode(thread, &call, [&] { return g_driver.graph_destroy(thread, to_graph(graph)); });
    if (result == CUDA_SUCCESS || result == CUDA_ERROR_DEINITIALIZED) return kOk;
    return map_error(result, call, g_devices[graph.ordinal]);
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

} // namespace gs::cuda
