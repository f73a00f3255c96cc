// SPDX-License-Identifier: Apache-2.0
// Calls that the driver counts as unsafe during a capture fail, and break that capture, when the calling thread is in
// global mode and any thread captures. In relaxed mode they do not; the exchange costs about 6 ns.
#pragma once

#include "backend/cuda/driver/driver_errors.hpp"
#include "backend/cuda/driver/driver_table.hpp"

namespace gs::cuda {

// Restores the thread's capture mode; logs a failure.
void restore_capture_mode(ThreadBlock &thread, CUstreamCaptureMode mode) noexcept __attribute__((cold));
// The exchange to relaxed mode failed; it may still have taken effect.
void undo_relaxed_mode(ThreadBlock &thread) noexcept __attribute__((cold));

// Runs op, which returns a CUresult, in relaxed mode. If the mode cannot be changed, op is skipped: *call then names
// the function that failed.
template <typename Operation>
inline CUresult in_relaxed_mode(ThreadBlock &thread, FailedCall *call, Operation &&op) noexcept {
    CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
    const CUresult entered = g_driver.thread_exchange_capture_mode(thread, &mode);
    if (entered != CUDA_SUCCESS) {
        undo_relaxed_mode(thread);
        call->function = g_driver.thread_exchange_capture_mode.name;
        return entered;
    }
    const CUresult result = op();
    if (mode != CU_STREAM_CAPTURE_MODE_RELAXED) {
        CUstreamCaptureMode restored = mode;
        if (g_driver.thread_exchange_capture_mode(thread, &restored) != CUDA_SUCCESS)
            restore_capture_mode(thread, mode);
    }
    return result;
}

} // namespace gs::cuda
