// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/context/cuda_device.hpp"

#include "backend/cuda/driver/driver_errors.hpp"
#include "backend/cuda/driver/driver_table.hpp"

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

} // namespace gs::cuda
