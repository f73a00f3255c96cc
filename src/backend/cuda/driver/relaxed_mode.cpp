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

// The thread's mode can only be read by changing it. If it is relaxed now, either the failed exchange did that, or
// the thread was in that mode before. Global is assumed then, which is the mode of every thread that never changed
// it.
void undo_relaxed_mode(ThreadBlock &thread) noexcept {
    CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
    const CUresult result = g_driver.thread_exchange_capture_mode(thread, &mode);
    if (result == CUDA_ERROR_DEINITIALIZED) return;
    const bool known = result == CUDA_SUCCESS && mode != CU_STREAM_CAPTURE_MODE_RELAXED;
    if (!known) {
        mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
        log_message(GS_LOG_WARNING, "%s failed, the thread's stream capture mode is unknown and set to global",
                    g_driver.thread_exchange_capture_mode.name);
    }
    restore_capture_mode(thread, mode);
}

} // namespace gs::cuda
