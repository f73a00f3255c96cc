// SPDX-License-Identifier: Apache-2.0
// The calling thread's current driver context.
#include "backend/cuda/context/cuda_device.hpp"
#include "backend/cuda/context/device_errors.hpp"
#include "backend/cuda/context/primary_context.hpp"
#include "backend/cuda/cuda_backend.hpp"

namespace gs::cuda {
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

} // namespace gs::cuda
