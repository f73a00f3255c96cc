// SPDX-License-Identifier: Apache-2.0
// A device's primary context: making it, what a call that failed in it means, and its range of priorities.
#pragma once

#include "backend/cuda/context/cuda_device.hpp"
#include "backend/cuda/driver/driver_errors.hpp"
#include "backend/gpu/device_facts.hpp"

namespace gs::cuda {

// The primary context, created if it does not exist. A failure is not remembered: memory may be free next time.
Status retain_context(ThreadBlock &thread, Device &device, CUcontext *out) noexcept;
// The primary context if it exists already, else nullptr.
Status existing_context(ThreadBlock &thread, Device &device, CUcontext *out) noexcept;
// Is the context we retained still alive and the same? Latches CONTEXT_LOST if it is not. OK where none was retained.
Status verify_context(ThreadBlock &thread, Device &device) noexcept;

// Turns a call that failed in a device's context into a Status.

// Sticky codes latch the device with this call as origin; 201, 400 and 709 make us check whether the context is still
// the one our objects live in. Never call it with CUDA_SUCCESS. CUDA_ERROR_NOT_READY becomes NOT_READY without detail.
Status map_error(CUresult result, FailedCall call, Device &device) noexcept __attribute__((cold));

// Asks the driver once per device. The device's context must be current.
Status priority_range_in_context(ThreadBlock &thread, Device &device, gpu::PriorityRange *out) noexcept;

} // namespace gs::cuda
