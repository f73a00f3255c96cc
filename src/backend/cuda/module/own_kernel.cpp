// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/module/own_kernel.hpp"

#include "backend/cuda/context/device_errors.hpp"
#include "backend/cuda/driver/relaxed_mode.hpp"
#include "backend/cuda/module/module_loader.hpp"

namespace gs::cuda {

Status own_kernel(ThreadBlock &thread, Device &device, std::atomic<CUfunction> &slot, const char *ptx, const char *name,
                  CUfunction *out) noexcept {
    if (CUfunction known = slot.load(std::memory_order_acquire)) {
        *out = known;
        return kOk;
    }
    CUmodule module = nullptr;
    GS_TRY(load_module(thread, device, ptx, &module));
    CUfunction function = nullptr;
    FailedCall call{g_driver.module_get_function.name};
    CUresult result =
        in_relaxed_mode(thread, &call, [&] { return g_driver.module_get_function(thread, &function, module, name); });
    CUfunction first = nullptr;
    const bool ours =
        result == CUDA_SUCCESS && slot.compare_exchange_strong(first, function, std::memory_order_acq_rel);
    if (ours) {
        *out = function;
        return kOk;
    }
    // It failed, or another thread was first: this copy has no use.
    FailedCall unload{g_driver.module_unload.name};
    (void)in_relaxed_mode(thread, &unload, [&] { return g_driver.module_unload(thread, module); });
    if (result != CUDA_SUCCESS) return map_error(result, call, device);
    *out = first;
    return kOk;
}

} // namespace gs::cuda
