// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/driver/relaxed_mode.hpp"

#include "base/log.hpp"

namespace gs::cuda {

void restore_capture_mode(ThreadBlock &thread, CUstreamCaptureMode mode) noexcept {
    const CUresult result = g_driver.thread_exchange_capture_mode(thread, &mode);
    if (result == CUDA_SUCCESS || result == CUDA_ERROR_DEINITIALIZED) return;
    log_message(GS_LOG_ERROR, "%s failed, the thread's stream capture mode could not be restored: %s (%d)",
                g_driver.thread_exchange_capture_mode.name, error_text(result), static_cast<int>(result));
}

} // namespace gs::cuda
