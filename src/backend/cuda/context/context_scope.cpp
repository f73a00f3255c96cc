// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/context/context_scope.hpp"

#include "backend/cuda/driver/driver_table.hpp"
#include "base/log.hpp"

namespace gs::cuda {

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
