// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/context/cuda_device.hpp"

#include <cinttypes>
#include <cstdio>

#include "backend/cuda/context/context_scope.hpp"
#include "backend/cuda/driver/relaxed_mode.hpp"

namespace gs::cuda {

constinit Device *g_devices = nullptr;
constinit int32_t g_device_count = 0;

int32_t ordinal_of(CUdevice handle) noexcept {
    for (int32_t i = 0; i < g_device_count; ++i)
        if (g_devices[i].handle == handle) return i;
    return -1;
}

Status latched_status(Device &device) noexcept {
    MutexLock lock(device.latch_mutex);
    const bool lost = device.health.load(std::memory_order_relaxed) == kLost;
    const NativeError native{GS_BACKEND_CUDA, device.latched_code, device.latched_function};
    if (lost)
        return fail_sticky(GS_ERROR_CONTEXT_LOST, native, device.origin,
                           "the primary context of device %d was reset or destroyed by other code: what was created in "
                           "it is gone; first seen at %s",
                           device.ordinal, device.origin);
    return fail_sticky(GS_ERROR_STICKY, native, device.origin,
                       "device %d cannot be used any more by this process: %s; first seen at %s", device.ordinal,
                       error_text(device.latched_code), device.origin);
}

void latch(Device &device, Health health, int32_t code, const char *function) noexcept {
    MutexLock lock(device.latch_mutex);
    if (device.health.load(std::memory_order_relaxed) != kHealthy) return;
    device.latched_code = code;
    device.latched_function = function;
    std::snprintf(device.origin, sizeof device.origin, "%s (%s, %d) on device %d, thread %" PRIu64, function,
                  health == kLost ? "context check" : error_name(code), code, device.ordinal, counting_thread().serial);
    device.health.store(health, std::memory_order_release);
}

Status retain_context(ThreadBlock &thread, Device &device, CUcontext *out) noexcept {
    GS_TRY(check_health(device));
    if (CUcontext known = device.context.load(std::memory_order_acquire)) {
        *out = known;
        return kOk;
    }
    CUcontext context = nullptr;
    if (const CUresult result = g_driver.primary_ctx_retain(thread, &context, device.handle); result != CUDA_SUCCESS)
        return map_error_no_device(result, {g_driver.primary_ctx_retain.name});
    unsigned long long id = 0;
    if (const CUresult result = g_driver.ctx_get_id(thread, context, &id); result != CUDA_SUCCESS) {
        (void)g_driver.primary_ctx_release(thread, device.handle);
        return map_error_no_device(result, {g_driver.ctx_get_id.name});
    }
    // Several threads may come here at once; one reference is kept. No lock is held across the driver's calls.
    uint64_t first_id = 0;
    if (!device.context_id.compare_exchange_strong(first_id, id) && first_id != id) {
        latch(device, kLost, CUDA_ERROR_CONTEXT_IS_DESTROYED, g_driver.primary_ctx_retain.name);
        return latched_status(device);
    }
    CUcontext first = nullptr;
    if (!device.context.compare_exchange_strong(first, context, std::memory_order_acq_rel)) {
        (void)g_driver.primary_ctx_release(thread, device.handle);
        context = first;
    }
    *out = context;
    return kOk;
}

Status existing_context(ThreadBlock &thread, Device &device, CUcontext *out) noexcept {
    *out = device.context.load(std::memory_order_acquire);
    if (*out) return check_health(device);
    unsigned flags = 0;
    int active = 0;
    const CUresult result = g_driver.primary_ctx_get_state(thread, device.handle, &flags, &active);
    if (result != CUDA_SUCCESS) return map_error_no_device(result, {g_driver.primary_ctx_get_state.name});
    return active ? retain_context(thread, device, out) : kOk;
}

Status verify_context(ThreadBlock &thread, Device &device) noexcept {
    GS_TRY(check_health(device));
    const CUcontext context = device.context.load(std::memory_order_acquire);
    if (!context) return kOk;
    unsigned flags = 0;
    int active = 0;
    CUresult result = g_driver.primary_ctx_get_state(thread, device.handle, &flags, &active);
    if (result != CUDA_SUCCESS) return map_error_no_device(result, {g_driver.primary_ctx_get_state.name});
    if (active) {
        unsigned long long id = 0;
        result = g_driver.ctx_get_id(thread, context, &id);
        if (result == CUDA_SUCCESS && id == device.context_id.load(std::memory_order_relaxed)) return kOk;
        if (is_sticky(result)) {
            latch(device, kSticky, result, g_driver.ctx_get_id.name);
            return latched_status(device);
        }
        if (result != CUDA_SUCCESS && !hints_at_lost_context(result))
            return map_error_no_device(result, {g_driver.ctx_get_id.name});
    }
    latch(device, kLost, CUDA_ERROR_CONTEXT_IS_DESTROYED,
          active ? g_driver.ctx_get_id.name : g_driver.primary_ctx_get_state.name);
    return latched_status(device);
}

Status probe_sticky(ThreadBlock &thread, Device &device) noexcept {
    ContextScope scope(thread);
    bool present = false;
    GS_TRY(scope.enter_existing(device, &present));
    if (!present) return kOk;
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    CUresult result = g_driver.stream_is_capturing(thread, CU_STREAM_LEGACY, &status);
    // A capture on a blocking stream keeps us from asking further; it also shows that the context works.
    if (result == CUDA_ERROR_STREAM_CAPTURE_IMPLICIT) return kOk;
    if (result != CUDA_SUCCESS) return map_error(result, {g_driver.stream_is_capturing.name}, device);
    FailedCall call{g_driver.stream_query.name};
    result = in_relaxed_mode(thread, &call, [&] { return g_driver.stream_query(thread, CU_STREAM_LEGACY); });
    if (result == CUDA_SUCCESS || result == CUDA_ERROR_NOT_READY) return kOk;
    return map_error(result, call, device);
}

Status map_error(CUresult result, FailedCall call, Device &device) noexcept {
    if (result == CUDA_ERROR_NOT_READY) return {GS_NOT_READY};
    if (is_sticky(result)) {
        latch(device, kSticky, result, call.function);
        return latched_status(device);
    }
    if (hints_at_lost_context(result)) {
        // Any other outcome of the check is of less interest than the failure at hand.
        verify_context(counting_thread(), device).ignore();
        if (is_latched(device)) return latched_status(device);
    }
    const gs_status_t status = plain_status(result, call.invalid_value);
    if (status == GS_ERROR_CAPTURING) return fail_capturing(result, call.function);
    return fail_native(status, {GS_BACKEND_CUDA, static_cast<int32_t>(result), call.function},
                       "%s failed on device %d: %s (%d)", call.function, device.ordinal, error_text(result),
                       static_cast<int>(result));
}

} // namespace gs::cuda
