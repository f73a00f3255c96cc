// SPDX-License-Identifier: Apache-2.0
// How explicit nodes enter a capture in progress.
#include <algorithm>

#include "backend/cuda/context/context_scope.hpp"
#include "backend/cuda/context/device_errors.hpp"
#include "backend/cuda/driver/native_words.hpp"
#include "backend/cuda/graph/cuda_graphs.hpp"

namespace gs::cuda {
namespace {

// The array belongs to the driver and lasts until the next call on the stream. The older form fails with 918 when an
// edge has data (programmatic launches).
CUresult dependencies(ThreadBlock &thread, StreamRef stream, CUstreamCaptureStatus *status, const CUgraphNode **nodes,
                      size_t *count, FailedCall *call) noexcept {
    if (g_driver.stream_get_capture_info_v3.present()) {
        const CUgraphEdgeData *edges = nullptr;
        call->function = g_driver.stream_get_capture_info_v3.name;
        return g_driver.stream_get_capture_info_v3(thread, to_stream(stream), status, nullptr, nullptr, nodes, &edges,
                                                   count);
    }
    call->function = g_driver.stream_get_capture_info.name;
    return g_driver.stream_get_capture_info(thread, to_stream(stream), status, nullptr, nullptr, nodes, count);
}

} // namespace

Status CudaGraphs::capture_nodes(ThreadBlock &thread, StreamRef stream, uintptr_t *out_nodes, size_t capacity,
                                 size_t *out_count) noexcept {
    if (!g_driver.stream_get_capture_info_v3.present() && !g_driver.stream_get_capture_info.present())
        return fail_absent(g_driver.stream_get_capture_info.name);
    Device &device = g_devices[stream.ordinal];
    GS_TRY(check_health(device));
    ContextScope scope(thread);
    if (is_default_word(stream.native)) GS_TRY(scope.enter(device));
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    const CUgraphNode *nodes = nullptr;
    size_t count = 0;
    FailedCall call{nullptr};
    MutexLock lock(g_capture_end_mutex); // until the nodes are copied
    const CUresult result = dependencies(thread, stream, &status, &nodes, &count, &call);
    if (result != CUDA_SUCCESS) return map_error(result, call, device);
    if (status != CU_STREAM_CAPTURE_STATUS_ACTIVE) count = 0;
    std::transform(nodes, nodes + std::min(count, capacity), out_nodes,
                   [](CUgraphNode node) { return reinterpret_cast<uintptr_t>(node); });
    *out_count = count;
    return kOk;
}

Status CudaGraphs::set_capture_nodes(ThreadBlock &thread, StreamRef stream, const uintptr_t *nodes, size_t count,
                                     bool add) noexcept {
    const auto &update = g_driver.stream_update_capture_dependencies;
    if (!update.present()) return fail_absent(update.name);
    Device &device = g_devices[stream.ordinal];
    GS_TRY(check_health(device));
    ContextScope scope(thread);
    if (is_default_word(stream.native)) GS_TRY(scope.enter(device));
    // The driver reads the array only, whatever the parameter's type says.
    auto *words = reinterpret_cast<CUgraphNode *>(const_cast<uintptr_t *>(nodes));
    const auto how =
        static_cast<unsigned>(add ? CU_STREAM_ADD_CAPTURE_DEPENDENCIES : CU_STREAM_SET_CAPTURE_DEPENDENCIES);
    const CUresult result = update(thread, to_stream(stream), words, count, how);
    return result == CUDA_SUCCESS ? kOk : map_error(result, {update.name, GS_ERROR_INVALID_ARGUMENT}, device);
}

} // namespace gs::cuda
