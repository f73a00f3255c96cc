// SPDX-License-Identifier: Apache-2.0
// Does a stream take part in a capture that the library or other code began?
#include "backend/cuda/context/context_scope.hpp"
#include "backend/cuda/context/device_errors.hpp"
#include "backend/cuda/cuda_backend.hpp"
#include "backend/cuda/driver/native_words.hpp"

namespace gs::cuda {

Status CudaBackend::stream_is_capturing(ThreadBlock &thread, StreamRef stream, bool *out_capturing) noexcept {
    Device &device = g_devices[stream.ordinal];
    GS_TRY(check_health(device));
    ContextScope scope(thread);
    if (is_default_word(stream.native)) {
        bool present = false;
        GS_TRY(scope.enter_existing(device, &present));
        if (!present) {
            *out_capturing = false;
            return kOk;
        }
    }
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    const CUresult result = g_driver.stream_is_capturing(thread, to_stream(stream), &status);
    if (result != CUDA_SUCCESS) return map_error(result, {g_driver.stream_is_capturing.name}, device);
    *out_capturing = status != CU_STREAM_CAPTURE_STATUS_NONE;
    return kOk;
}

} // namespace gs::cuda
