// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/context/device_errors.hpp"

#include "backend/cuda/context/primary_context.hpp"
#include "backend/cuda/driver/driver_table.hpp"

namespace gs::cuda {

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

} // namespace gs::cuda
