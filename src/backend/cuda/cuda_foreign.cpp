// SPDX-License-Identifier: Apache-2.0
// What other code of the process has: the calling thread's current context, streams and events.
#include "backend/cuda/context/cuda_device.hpp"
#include "backend/cuda/cuda_backend.hpp"
#include "backend/cuda/driver/driver_table.hpp"

namespace gs::cuda {

// The calling thread's current driver context.

namespace {

// The device whose primary context we hold under this pointer, nullptr if none.
Device *owner_of(CUcontext context) noexcept {
    if (!context) return nullptr;
    for (int32_t i = 0; i < g_device_count; ++i)
        if (g_devices[i].context.load(std::memory_order_relaxed) == context) return &g_devices[i];
    return nullptr;
}

bool is_lost(const Device &device) noexcept { return device.health.lost(); }

} // namespace

int32_t CudaBackend::current_ordinal(ThreadBlock &thread) noexcept {
    if (g_device_count == 1) return 0;
    CUcontext current = nullptr;
    if (g_driver.ctx_get_current(thread, &current) != CUDA_SUCCESS || !current) return -1;
    if (const Device *owner = owner_of(current)) return owner->ordinal;
    // Another library's primary context, or one that it created itself. Both say which device that library's code
    // works on.
    CUdevice handle = 0;
    return g_driver.ctx_get_device(thread, &handle) == CUDA_SUCCESS ? ordinal_of(handle) : -1;
}

bool CudaBackend::has_context(int32_t ordinal) noexcept {
    Device &device = g_devices[ordinal];
    if (is_latched(device)) return false;
    unsigned flags = 0;
    int active = 0;
    return g_driver.primary_ctx_get_state(counting_thread(), device.handle, &flags, &active) == CUDA_SUCCESS && active;
}

Status CudaBackend::find_context(ThreadBlock &thread, int32_t ordinal, bool *out_present) noexcept {
    CUcontext context = nullptr;
    GS_TRY(existing_context(thread, g_devices[ordinal], &context));
    *out_present = context != nullptr;
    return kOk;
}

Status CudaBackend::make_current(ThreadBlock &thread, int32_t ordinal, uintptr_t *out_previous,
                                 bool *out_changed) noexcept {
    Device &device = g_devices[ordinal];
    CUcontext context = nullptr;
    GS_TRY(existing_context(thread, device, &context));
    CUcontext previous = nullptr;
    CUresult result = g_driver.ctx_get_current(thread, &previous);
    if (result != CUDA_SUCCESS) return map_error(result, {g_driver.ctx_get_current.name}, device);
    const bool change = context && context != previous;
    if (change) {
        result = g_driver.ctx_set_current(thread, context);
        if (result != CUDA_SUCCESS) {
            // The failure may belong to earlier work although the context has changed.
            (void)g_driver.ctx_set_current(thread, previous);
            return map_error(result, {g_driver.ctx_set_current.name}, device);
        }
    }
    *out_previous = reinterpret_cast<uintptr_t>(previous);
    *out_changed = change;
    return kOk;
}

Status CudaBackend::restore_current(ThreadBlock &thread, uintptr_t previous) noexcept {
    const auto context = reinterpret_cast<CUcontext>(previous);
    Device *owner = owner_of(context);
    Status status = kOk;
    bool gone = owner && is_lost(*owner); // a dead context must stay away from the driver
    if (gone) {
        status = latched_status(*owner);
    } else {
        const CUresult result = g_driver.ctx_set_current(thread, context);
        if (result == CUDA_SUCCESS) return kOk;
        status = owner ? map_error(result, {g_driver.ctx_set_current.name}, *owner)
                       : map_error_no_device(result, {g_driver.ctx_set_current.name});
        gone = owner ? is_lost(*owner) : hints_at_lost_context(result);
    }
    // Then no context is current, rather than that of the device that the caller leaves. The first failure is
    // reported.
    if (gone) (void)g_driver.ctx_set_current(thread, nullptr);
    return status;
}

// Foreign streams and events: which device they belong to, and whether we can work with them.

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

// A green context's streams are of the primary context that it is a part of: the newer form says so, the older one
// does not know them.
CUresult context_of(ThreadBlock &thread, CUstream stream, CUcontext *out) noexcept {
    CUgreenCtx green = nullptr;
    if (g_driver.stream_get_ctx_v2.present()) return g_driver.stream_get_ctx_v2(thread, stream, out, &green);
    return g_driver.stream_get_ctx(thread, stream, out);
}

CUresult ask(ThreadBlock &thread, CUstream stream, StreamFacts *facts, const char **function) noexcept {
    *function = g_driver.stream_get_ctx.name;
    CUresult result = context_of(thread, stream, &facts->context);
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
                           "stream 0x%zx is of a kind that this driver does not describe (of a green context, which "
                           "needs a driver of CUDA 12.5 or later?): %s: %s (%d)",
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
