// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/module/shared_memory.hpp"

#include "backend/cuda/context/device_errors.hpp"

namespace gs::cuda {

// Always the same value: two threads that launch the same kernel with different sizes would lower each other's limit.
Status raise_shared_memory_limit(ThreadBlock &thread, Device &device, CUfunction function) noexcept {
    if (!g_driver.func_set_attribute.present()) return fail_absent(g_driver.func_set_attribute.name);
    int most = 0;
    CUresult result = g_driver.device_get_attribute(
        thread, &most, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, device.handle);
    if (result != CUDA_SUCCESS) return map_error(result, {g_driver.device_get_attribute.name}, device);
    int fixed = 0;
    result = g_driver.func_get_attribute(thread, &fixed, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, function);
    if (result != CUDA_SUCCESS) return map_error(result, {g_driver.func_get_attribute.name}, device);
    result =
        g_driver.func_set_attribute(thread, function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, most - fixed);
    if (result != CUDA_SUCCESS)
        return map_error(result, {g_driver.func_set_attribute.name, GS_ERROR_INVALID_ARGUMENT}, device);
    return kOk;
}

} // namespace gs::cuda
