// SPDX-License-Identifier: Apache-2.0
// Foreign streams and events: which device they belong to, and whether we can work with them.
#include "backend/cuda/context/context_scope.hpp"
#include "backend/cuda/context/device_errors.hpp"
#include "backend/cuda/context/primary_context.hpp"
#include "backend/cuda/cuda_backend.hpp"
#include "backend/cuda/driver/native_words.hpp"
#include "backend/cuda/driver/relaxed_mode.hpp"

namespace gs::cuda {
namespace {

// Everything the driver reports about a foreign stream. Only called while the stream is not being captured: these
// questions would break the capture.
struct StreamFacts {
    CUcontext context = nullptr;
    CUdevice device = 0;
    int priority = 0;
    unsigned flags = 0;
};

// Before 12.8 there is no direct question: the stream's context is made current for a moment.
CUresult device_of_context(ThreadBlock &thread, CUcontext context, CUdevice *out, const char **function) noexcept {
    ContextScope scope(thread);
    if (const CUresult result = scope.enter_foreign(context, function); result != CUDA_SUCCESS) return result;
    *function = g_driver.ctx_get_device.name;
    return g_driver.ctx_get_device(thread, out);
}

CUresult ask(ThreadBlock &thread, CUstream stream, StreamFacts *facts, const char **function) noexcept {
    *function = g_driver.stream_get_ctx.name;
    CUresult result = g_driver.stream_get_ctx(thread, stream, &facts->context);
    if (result != CUDA_SUCCESS) return result;
    if (g_driver.stream_get_device.present()) {
        *function = g_driver.stream_get_device.name;
        result = g_driver.stream_get_device(thread, stream, &facts->device);
    } else {
        result = device_of_context(thread, facts->context, &facts->device, function);
    }
    if (result != CUDA_SUCCESS) return result;
    *function = g_driver.stream_get_priority.name;
    result = g_driver.stream_get_priority(thread, stream, &facts->priority);
    if (result != CUDA_SUCCESS) return result;
    *function = g_driver.stream_get_flags.name;
    return g_driver.stream_get_flags(thread, stream, &facts->flags);
}

Status fail_adopt(CUresult result, const char *function, uintptr_t native) noexcept {
    if (hints_at_lost_context(result))
        return fail_native(GS_ERROR_INVALID_HANDLE, {GS_BACKEND_CUDA, static_cast<int32_t>(result), function},
                           "0x%zx is not a live stream of the driver: %s: %s (%d)", static_cast<size_t>(native),
                           function, error_text(result), static_cast<int>(result));
    if (result == CUDA_ERROR_NOT_SUPPORTED)
        return fail_native(GS_ERROR_NOT_SUPPORTED, {GS_BACKEND_CUDA, static_cast<int32_t>(result), function},
                           "stream 0x%zx is of a kind that gpustream cannot wrap (of a green context?): %s: %s (%d)",
                           static_cast<size_t>(native), function, error_text(result), static_cast<int>(result));
    return map_error_no_device(result, {function, GS_ERROR_INVALID_HANDLE});
}

} // namespace

Status CudaBackend::stream_adopt(uintptr_t native, AdoptedStream *out) noexcept {
    ThreadBlock &thread = counting_thread();
    const auto stream = reinterpret_cast<CUstream>(native);
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    CUresult result = g_driver.stream_is_capturing(thread, stream, &status);
    if (result != CUDA_SUCCESS) return fail_adopt(result, g_driver.stream_is_capturing.name, native);
    if (status != CU_STREAM_CAPTURE_STATUS_NONE) {
        *out = {.capturing = true};
        return kOk;
    }
    StreamFacts facts;
    FailedCall call{nullptr};
    result = in_relaxed_mode(thread, &call, [&] { return ask(thread, stream, &facts, &call.function); });
    if (result != CUDA_SUCCESS) return fail_adopt(result, call.function, native);
    const int32_t ordinal = ordinal_of(facts.device);
    if (ordinal < 0)
        return fail(GS_ERROR_NOT_SUPPORTED, "stream 0x%zx belongs to a device that this process did not enumerate",
                    static_cast<size_t>(native));
    Device &device = g_devices[ordinal];
    CUcontext primary = nullptr;
    GS_TRY(existing_context(thread, device, &primary));
    GS_TRY(verify_context(thread, device));
    // Events must live in the context of the streams that record them, and ours live in the primary one.
    if (facts.context != primary)
        return fail(GS_ERROR_NOT_SUPPORTED,
                    "stream 0x%zx belongs to a context of device %d that is not its primary context; gpustream works "
                    "with streams of primary contexts only",
                    static_cast<size_t>(native), ordinal);
    *out = {.ordinal = ordinal, .priority = facts.priority, .blocking = (facts.flags & CU_STREAM_NON_BLOCKING) == 0};
    return kOk;
}

Status CudaBackend::event_adopt(int32_t ordinal, uintptr_t event) noexcept {
    Device &device = g_devices[ordinal];
    GS_TRY(check_health(device));
    ThreadBlock &thread = counting_thread();
    // The driver has no function for an event's device. A query at least reports a handle that the driver does not
    // know. Pending, captured, and last recorded in a capture that failed (which the driver calls an invalid value):
    // all are events.
    FailedCall call{g_driver.event_query.name};
    const CUresult result =
        in_relaxed_mode(thread, &call, [&] { return g_driver.event_query(thread, to_event(event)); });
    if (result == CUDA_SUCCESS || result == CUDA_ERROR_NOT_READY || result == CUDA_ERROR_CAPTURED_EVENT ||
        result == CUDA_ERROR_INVALID_VALUE)
        return kOk;
    return map_error(result, call, device);
}

} // namespace gs::cuda
