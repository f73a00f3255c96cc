// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/context/priority_range.hpp"

#include "backend/cuda/context/device_errors.hpp"
#include "backend/cuda/driver/driver_table.hpp"

namespace gs::cuda {

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

} // namespace gs::cuda
