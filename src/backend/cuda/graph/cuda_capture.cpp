// SPDX-License-Identifier: Apache-2.0
// Beginning, ending and asking about captures.
#include <algorithm>

#include "backend/cuda/context/cuda_device.hpp"
#include "backend/cuda/cuda_backend.hpp"
#include "backend/cuda/graph/cuda_graphs.hpp"

namespace gs::cuda {

// Does a stream take part in a capture that the library or other code began?
Status CudaBackend::stream_is_capturing(ThreadBlock &thread, StreamRef stream, bool *out_capturing) noexcept {
    Device &device = g_devices[stream.ordinal];
    ContextScope scope(thread);
    bool present = false;
    GS_TRY(scope.enter_existing_for(stream, &present));
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    if (present) GS_TRY(driver_call(thread, device, g_driver.stream_is_capturing, to_stream(stream), &status));
    *out_capturing = status != CU_STREAM_CAPTURE_STATUS_NONE;
    return kOk;
}

Mutex g_capture_end_mutex;

namespace {

CUstreamCaptureMode driver_mode(int32_t mode) noexcept {
    switch (mode) {
    case GS_CAPTURE_RELAXED: return CU_STREAM_CAPTURE_MODE_RELAXED;
    case GS_CAPTURE_THREAD_LOCAL: return CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
    default: return CU_STREAM_CAPTURE_MODE_GLOBAL;
    }
}

int32_t state_of(CUstreamCaptureStatus status) noexcept {
    switch (status) {
    case CU_STREAM_CAPTURE_STATUS_NONE: return GS_CAPTURE_STATE_NONE;
    case CU_STREAM_CAPTURE_STATUS_INVALIDATED: return GS_CAPTURE_STATE_INVALIDATED;
    default: return GS_CAPTURE_STATE_ACTIVE;
    }
}

Status ask_info(ThreadBlock &thread, StreamRef stream, StreamCapture *out) noexcept GS_REQUIRES(g_capture_end_mutex) {
    Device &device = g_devices[stream.ordinal];
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    cuuint64_t id = 0;
    CUgraph graph = nullptr;
    GS_TRY(driver_call(thread, device, g_driver.stream_get_capture_info, to_stream(stream), &status, &id, &graph,
                       nullptr, nullptr));
    out->state = state_of(status);
    if (status != CU_STREAM_CAPTURE_STATUS_ACTIVE) return kOk; // broken: there will be no graph
    out->id = id;
    out->graph = reinterpret_cast<uintptr_t>(graph);
    return kOk;
}

} // namespace

// cuStreamIsCapturing first: it is a tenth of the cost of a host function, and most streams are not captured.
Status CudaGraphs::capture(ThreadBlock &thread, StreamRef stream, StreamCapture *out) noexcept {
    *out = {};
    if (stream.native == kNativeDefaultStream) return kOk; // cannot be captured
    Device &device = g_devices[stream.ordinal];
    ContextScope scope(thread);
    bool present = false;
    GS_TRY(scope.enter_existing_for(stream, &present));
    if (!present) return kOk;
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    GS_TRY(driver_call(thread, device, g_driver.stream_is_capturing, to_stream(stream), &status));
    if (status == CU_STREAM_CAPTURE_STATUS_NONE) return kOk;
    out->state = state_of(status);
    if (status == CU_STREAM_CAPTURE_STATUS_INVALIDATED || !g_driver.stream_get_capture_info.present()) return kOk;
    MutexLock lock(g_capture_end_mutex);
    return ask_info(thread, stream, out);
}

Status CudaGraphs::likely_capture(ThreadBlock &thread, StreamRef stream, StreamCapture *out) noexcept {
    if (!g_driver.stream_get_capture_info.present() || is_default_word(stream.native))
        return capture(thread, stream, out);
    *out = {};
    GS_TRY(check_health(g_devices[stream.ordinal]));
    MutexLock lock(g_capture_end_mutex);
    return ask_info(thread, stream, out);
}

// The graph lives until the lock is free: the library ends captures under it, and destroys their graphs after that.
Status CudaGraphs::capture_keep(ThreadBlock &thread, StreamRef stream, uint64_t id, void (*release)(void *), void *arg,
                                bool *out_kept) noexcept {
    *out_kept = false;
    if (!g_driver.stream_get_capture_info.present()) return fail_absent(g_driver.stream_get_capture_info.name);
    ContextScope scope(thread);
    GS_TRY(scope.enter_for(stream));
    StreamCapture now;
    MutexLock lock(g_capture_end_mutex);
    GS_TRY(ask_info(thread, stream, &now));
    if (now.id != id || now.graph == 0) return kOk;
    GS_TRY(graph_keep(thread, now.graph, release, arg));
    *out_kept = true;
    return kOk;
}

Status CudaGraphs::capture_begin(ThreadBlock &thread, StreamRef stream, int32_t mode) noexcept {
    if (!g_driver.stream_begin_capture.present()) return fail_absent(g_driver.stream_begin_capture.name);
    Device &device = g_devices[stream.ordinal];
    ContextScope scope(thread);
    GS_TRY(scope.enter_for(stream));
    return driver_call(thread, device, g_driver.stream_begin_capture, to_stream(stream), driver_mode(mode));
}

Status CudaGraphs::capture_begin_to(ThreadBlock &thread, StreamRef stream, uintptr_t graph, const uintptr_t *after,
                                    size_t count, int32_t mode) noexcept {
    const auto &begin = g_driver.stream_begin_capture_to_graph;
    if (!begin.present()) return fail_absent(begin.name);
    Device &device = g_devices[stream.ordinal];
    ContextScope scope(thread);
    GS_TRY(scope.enter_for(stream));
    // A node is a pointer, and a word of the same size to the core.
    const auto *nodes = reinterpret_cast<const CUgraphNode *>(after);
    return driver_call<GS_ERROR_INVALID_ARGUMENT>(thread, device, begin, to_stream(stream), to_graph(graph), nodes,
                                                  nullptr, count, driver_mode(mode));
}

Status CudaGraphs::capture_end(ThreadBlock &thread, StreamRef stream, uintptr_t *out_graph) noexcept {
    if (!g_driver.stream_end_capture.present()) return fail_absent(g_driver.stream_end_capture.name);
    Device &device = g_devices[stream.ordinal];
    ContextScope scope(thread);
    GS_TRY(scope.enter_for(stream));
    CUgraph graph = nullptr;
    CUresult result = CUDA_SUCCESS;
    {
        MutexLock lock(g_capture_end_mutex);
        result = g_driver.stream_end_capture(thread, to_stream(stream), &graph);
    }
    GS_TRY(status_of(result, {g_driver.stream_end_capture.name}, device));
    *out_graph = reinterpret_cast<uintptr_t>(graph);
    return kOk;
}

// How explicit nodes enter a capture in progress.

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
    ContextScope scope(thread);
    GS_TRY(scope.enter_for(stream));
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    const CUgraphNode *nodes = nullptr;
    size_t count = 0;
    FailedCall call{nullptr};
    MutexLock lock(g_capture_end_mutex); // until the nodes are copied
    const CUresult result = dependencies(thread, stream, &status, &nodes, &count, &call);
    GS_TRY(status_of(result, call, device));
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
    ContextScope scope(thread);
    GS_TRY(scope.enter_for(stream));
    // The driver reads the array only, whatever the parameter's type says.
    auto *words = reinterpret_cast<CUgraphNode *>(const_cast<uintptr_t *>(nodes));
    const auto how =
        static_cast<unsigned>(add ? CU_STREAM_ADD_CAPTURE_DEPENDENCIES : CU_STREAM_SET_CAPTURE_DEPENDENCIES);
    return driver_call<GS_ERROR_INVALID_ARGUMENT>(thread, device, update, to_stream(stream), words, count, how);
}

} // namespace gs::cuda
