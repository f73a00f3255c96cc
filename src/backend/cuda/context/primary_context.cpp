// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/context/primary_context.hpp"

#include "backend/cuda/driver/driver_errors.hpp"
#include "backend/cuda/driver/driver_table.hpp"

namespace gs::cuda {

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

} // namespace gs::cuda
