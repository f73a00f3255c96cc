// SPDX-License-Identifier: Apache-2.0
// Captures that other code began: what a stream takes part in, and what must live as long as the graph.
#include "backend/cuda/context/context_scope.hpp"
#include "backend/cuda/context/device_errors.hpp"
#include "backend/cuda/cuda_backend.hpp"
#include "backend/cuda/driver/native_words.hpp"

namespace gs::cuda {

Status CudaBackend::stream_is_capturing(ThreadBlock &thread, StreamRef stream, bool *out_capturing) noexcept {
    Device &device = g_devices[stream.ordinal];
    GS_TRY(check_health(device));
    ContextScope scope(thread);
    if (__builtin_expect(is_default_word(stream.native), 0)) {
        bool present = false;
        GS_TRY(scope.enter_existing(device, &present));
        if (!present) {
            *out_capturing = false;
            return kOk;
        }
    }
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    const CUresult result = g_driver.stream_is_capturing(thread, to_stream(stream), &status);
    if (__builtin_expect(result != CUDA_SUCCESS, 0))
        return map_error(result, {g_driver.stream_is_capturing.name}, device);
    *out_capturing = status != CU_STREAM_CAPTURE_STATUS_NONE;
    return kOk;
}

Status CudaBackend::stream_capture(ThreadBlock &thread, StreamRef stream, StreamCapture *out) noexcept {
    *out = {};
    if (stream.native == kNativeDefaultStream) return kOk; // cannot be captured
    GS_TRY(stream_is_capturing(thread, stream, &out->active));
    if (__builtin_expect(!out->active, 1) || !g_driver.stream_get_capture_info.present()) return kOk;
    Device &device = g_devices[stream.ordinal];
    ContextScope scope(thread);
    if (is_default_word(stream.native)) GS_TRY(scope.enter(device));
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    cuuint64_t id = 0;
    CUgraph graph = nullptr;
    const CUresult result =
        g_driver.stream_get_capture_info(thread, to_stream(stream), &status, &id, &graph, nullptr, nullptr);
    if (result != CUDA_SUCCESS) return map_error(result, {g_driver.stream_get_capture_info.name}, device);
    if (status != CU_STREAM_CAPTURE_STATUS_ACTIVE) return kOk; // broken: its graph will not exist
    out->id = id;
    out->graph = reinterpret_cast<uintptr_t>(graph);
    return kOk;
}

Status CudaBackend::graph_keep(ThreadBlock &thread, uintptr_t graph, void (*release)(void *), void *arg) noexcept {
    if (!g_driver.user_object_create.present()) return fail_absent(g_driver.user_object_create.name);
    if (!g_driver.graph_retain_user_object.present()) return fail_absent(g_driver.graph_retain_user_object.name);
    CUuserObject object = nullptr;
    CUresult result = g_driver.user_object_create(thread, &object, arg, release, 1u,
                                                  static_cast<unsigned>(CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
    if (result != CUDA_SUCCESS) return map_error_no_device(result, {g_driver.user_object_create.name});
    // Our reference becomes the graph's. After a failure it may be the graph's already, so it is not released.
    result = g_driver.graph_retain_user_object(thread, reinterpret_cast<CUgraph>(graph), object, 1u,
                                               static_cast<unsigned>(CU_GRAPH_USER_OBJECT_MOVE));
    return result == CUDA_SUCCESS ? kOk : map_error_no_device(result, {g_driver.graph_retain_user_object.name});
}

} // namespace gs::cuda
