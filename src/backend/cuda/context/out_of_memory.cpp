// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/context/out_of_memory.hpp"

#include "backend/cuda/context/context_scope.hpp"
#include "backend/cuda/driver/driver_errors.hpp"

namespace gs::cuda {

Status fail_out_of_memory(ThreadBlock &thread, Device &device, const char *function, size_t bytes) noexcept {
    size_t free_bytes = 0;
    size_t total_bytes = 0;
    bool known = false;
    {
        ContextScope scope(thread);
        known = scope.enter(device).ok() && g_driver.mem_get_info(thread, &free_bytes, &total_bytes) == CUDA_SUCCESS;
    }
    const NativeError native{GS_BACKEND_CUDA, CUDA_ERROR_OUT_OF_MEMORY, function};
    if (!known)
        return fail_native(GS_ERROR_OUT_OF_MEMORY, native, "%s of %zu bytes failed on device %d: %s", function, bytes,
                           device.ordinal, error_text(CUDA_ERROR_OUT_OF_MEMORY));
    return fail_native(GS_ERROR_OUT_OF_MEMORY, native,
                       "%s of %zu bytes failed on device %d: %s; %zu of %zu bytes are free on the device", function,
                       bytes, device.ordinal, error_text(CUDA_ERROR_OUT_OF_MEMORY), free_bytes, total_bytes);
}

} // namespace gs::cuda
