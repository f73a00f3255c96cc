// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/module/embedded_arch.hpp"

#include "backend/cuda/driver/driver_errors.hpp"
#include "base/log.hpp"

namespace gs::cuda {

Status warn_if_too_old(ThreadBlock &thread, CUdevice device, int32_t ordinal) noexcept {
    int parts[2] = {};
    constexpr CUdevice_attribute kParts[] = {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR,
                                             CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR};
    for (int i = 0; i < 2; ++i) {
        const CUresult result = g_driver.device_get_attribute(thread, &parts[i], kParts[i], device);
        if (result != CUDA_SUCCESS) return fail_start(result, g_driver.device_get_attribute.name);
    }
    if (10 * parts[0] + parts[1] < kEmbeddedArch)
        log_message(GS_LOG_WARNING,
                    "CUDA device %d has compute capability %d.%d; the kernels of gpustream need %d.%d or later: "
                    "gs_stream_sleep() will fail on it",
                    ordinal, parts[0], parts[1], kEmbeddedArch / 10, kEmbeddedArch % 10);
    return kOk;
}

} // namespace gs::cuda
