// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/context/cuda_device.hpp"

#include "backend/cuda/driver/driver_table.hpp"
#include "base/log.hpp"

namespace gs::cuda {

using gpu::HealthLatch;

constinit Device *g_devices = nullptr;
constinit int32_t g_device_count = 0;

int32_t ordinal_of(CUdevice handle) noexcept {
    for (int32_t i = 0; i < g_device_count; ++i)
        if (g_devices[i].handle == handle) return i;
    return -1;
}

void latch_sticky(Device &device, CUresult result, const char *function) noexcept {
    device.health.latch(
        HealthLatch::kSticky, device.ordinal,
        {{GS_BACKEND_CUDA, static_cast<int32_t>(result), function}, error_text(result), error_text(result)},
        counting_thread().serial);
}

void latch_lost(Device &device, const char *function) noexcept {
    constexpr int32_t kCode = CUDA_ERROR_CONTEXT_IS_DESTROYED;
    device.health.latch(HealthLatch::kLost, device.ordinal,
                        {{GS_BACKEND_CUDA, kCode, function}, "context check", error_text(kCode)},
                        counting_thread().serial);
}

bool latch_reset(Device &device) noexcept {
    constexpr int32_t kCode = CUDA_ERROR_CONTEXT_IS_DESTROYED;
    return device.health.latch(HealthLatch::kReset, device.ordinal,
                               {{GS_BACKEND_CUDA, kCode, g_driver.primary_ctx_reset.name}, "reset", error_text(kCode)},
                               counting_thread().serial);
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
        (void)g_driver.primary_ctx_release(thread, device.handle); // the new context belongs to other code
        latch_lost(device, g_driver.primary_ctx_retain.name);
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
            latch_sticky(device, result, g_driver.ctx_get_id.name);
            return latched_status(device);
        }
        if (result != CUDA_SUCCESS && !hints_at_lost_context(result))
            return map_error_no_device(result, {g_driver.ctx_get_id.name});
    }
    latch_lost(device, active ? g_driver.ctx_get_id.name : g_driver.primary_ctx_get_state.name);
    return latched_status(device);
}

Status map_error(CUresult result, FailedCall call, Device &device) noexcept {
    if (result == CUDA_ERROR_NOT_READY) return {GS_NOT_READY};
    if (is_sticky(result)) {
        latch_sticky(device, result, call.function);
        return latched_status(device);
    }
    if (hints_at_lost_context(result)) {
        // The failure at hand matters more than any other outcome of the check.
        verify_context(counting_thread(), device).ignore();
        if (is_latched(device)) return latched_status(device);
    }
    const gs_status_t status = plain_status(result, call.invalid_value);
    if (status == GS_ERROR_CAPTURING) return fail_capturing(result, call.function);
    return fail_native(status, {GS_BACKEND_CUDA, static_cast<int32_t>(result), call.function},
                       "%s failed on device %d: %s (%d)", call.function, device.ordinal, error_text(result),
                       static_cast<int>(result));
}

Status priority_range_in_context(ThreadBlock &thread, Device &device, gpu::PriorityRange *out) noexcept {
    uint64_t packed = device.priority_range.load(std::memory_order_acquire);
    if (packed == 0) {
        int least = 0;
        int greatest = 0;
        const CUresult result = g_driver.ctx_get_stream_priority_range(thread, &least, &greatest);
        if (result != CUDA_SUCCESS) return map_error(result, {g_driver.ctx_get_stream_priority_range.name}, device);
        packed = gpu::pack_range({least, greatest});
        device.priority_range.store(packed, std::memory_order_release);
    }
    *out = gpu::unpack_range(packed);
    return kOk;
}

Status ask_attribute(ThreadBlock &thread, const Device &device, CUdevice_attribute which, int *out) noexcept {
    int value = 0;
    const CUresult result = g_driver.device_get_attribute(thread, &value, which, device.handle);
    // A driver that does not know the attribute lacks the feature.
    if (result != CUDA_SUCCESS && result != CUDA_ERROR_INVALID_VALUE)
        return map_error_no_device(result, {g_driver.device_get_attribute.name});
    *out = result == CUDA_SUCCESS ? value : 0;
    return kOk;
}

Status ask_attribute(ThreadBlock &thread, const Device &device, CUdevice_attribute which, bool *out) noexcept {
    int value = 0;
    GS_TRY(ask_attribute(thread, device, which, &value));
    *out = value != 0;
    return kOk;
}

Status ContextScope::enter_to_create(Device &device) noexcept {
    const bool known = device.context.load(std::memory_order_acquire) != nullptr;
    CUcontext context = nullptr;
    GS_TRY(retain_context(thread_, device, &context));
    if (known) GS_TRY(verify_context(thread_, device));
    return push(device, context);
}

Status ContextScope::enter(Device &device) noexcept {
    CUcontext context = nullptr;
    GS_TRY(retain_context(thread_, device, &context));
    return push(device, context);
}

Status ContextScope::enter_existing(Device &device, bool *out_present) noexcept {
    CUcontext context = nullptr;
    GS_TRY(existing_context(thread_, device, &context));
    if (context) GS_TRY(push(device, context));
    *out_present = context != nullptr;
    return kOk;
}

CUresult ContextScope::enter_foreign(CUcontext context, const char **function) noexcept {
    CUcontext current = nullptr;
    *function = g_driver.ctx_get_current.name;
    CUresult result = g_driver.ctx_get_current(thread_, &current);
    if (result != CUDA_SUCCESS || current == context) return result;
    *function = g_driver.ctx_push_current.name;
    result = g_driver.ctx_push_current(thread_, context);
    // The failure may belong to earlier work while the push itself took effect: the current context shows this.
    if (result == CUDA_SUCCESS || (g_driver.ctx_get_current(thread_, &current) == CUDA_SUCCESS && current == context))
        pushed_ = context;
    return result;
}

Status ContextScope::push(Device &device, CUcontext context) noexcept {
    const char *function = nullptr;
    const CUresult result = enter_foreign(context, &function);
    return result == CUDA_SUCCESS ? kOk : map_error(result, {function}, device);
}

void ContextScope::restore() noexcept {
    CUcontext popped = nullptr;
    CUresult result = g_driver.ctx_pop_current(thread_, &popped);
    if (result == CUDA_SUCCESS || result == CUDA_ERROR_DEINITIALIZED) return;
    // As above: the context is popped again only if it is still the one that was pushed.
    CUcontext current = nullptr;
    if (g_driver.ctx_get_current(thread_, &current) == CUDA_SUCCESS) {
        if (current != pushed_) return;
        result = g_driver.ctx_pop_current(thread_, &popped);
        if (result == CUDA_SUCCESS) return;
    }
    log_message(GS_LOG_ERROR, "%s failed, the caller's CUDA context could not be restored: %s (%d)",
                g_driver.ctx_pop_current.name, error_text(result), static_cast<int>(result));
}

Status probe_sticky(ThreadBlock &thread, Device &device) noexcept {
    ContextScope scope(thread);
    bool present = false;
    GS_TRY(scope.enter_existing(device, &present));
    if (!present) return kOk;
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    CUresult result = g_driver.stream_is_capturing(thread, CU_STREAM_LEGACY, &status);
    // A capture on a blocking stream forbids further questions; it also shows that the context works.
    if (result == CUDA_ERROR_STREAM_CAPTURE_IMPLICIT) return kOk;
    if (result != CUDA_SUCCESS) return map_error(result, {g_driver.stream_is_capturing.name}, device);
    FailedCall call{g_driver.stream_query.name};
    result = in_relaxed_mode(thread, &call, [&] { return g_driver.stream_query(thread, CU_STREAM_LEGACY); });
    if (result == CUDA_SUCCESS || result == CUDA_ERROR_NOT_READY) return kOk;
    return map_error(result, call, device);
}

} // namespace gs::cuda
