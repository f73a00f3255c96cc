// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/context/sticky_probe.hpp"

#include "backend/cuda/context/context_scope.hpp"
#include "backend/cuda/context/device_errors.hpp"
#include "backend/cuda/driver/relaxed_mode.hpp"

namespace gs::cuda {

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
