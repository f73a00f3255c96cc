// SPDX-License-Identifier: Apache-2.0
// The primary context of a device: retained at the first call that needs it, and checked for a reset by other code.
#pragma once

#include "backend/cuda/context/cuda_device.hpp"

namespace gs::cuda {

// The primary context, created if it does not exist. A failure is not remembered: memory may be free next time.
Status retain_context(ThreadBlock &thread, Device &device, CUcontext *out) noexcept;
// The primary context if it exists already, else nullptr.
Status existing_context(ThreadBlock &thread, Device &device, CUcontext *out) noexcept;
// Is the context we retained still alive and the same? Latches CONTEXT_LOST if it is not. OK where none was retained.
Status verify_context(ThreadBlock &thread, Device &device) noexcept;

} // namespace gs::cuda
