// SPDX-License-Identifier: Apache-2.0
// What single stream memory operations, batches of them and semaphores have in common.
#pragma once

#include "backend/cuda/context/cuda_device.hpp"
#include "backend/cuda/driver/driver_table.hpp"

namespace gs::cuda {

inline constexpr uint32_t kValueCondition = 3; // the part of GS_VALUE_* that is a number

inline CUdeviceptr word_at(void *address) noexcept { return reinterpret_cast<CUdeviceptr>(address); }
inline bool is_narrow(uint32_t flags) noexcept { return (flags & GS_VALUE_32) != 0; }
inline unsigned native_condition(uint32_t flags) noexcept {
    const unsigned flush = (flags & GS_VALUE_FLUSH) != 0 ? unsigned{CU_STREAM_WAIT_VALUE_FLUSH} : 0;
    return (flags & kValueCondition) | flush;
}

// *out: false also where the driver does not know the attribute.
Status ask_attribute(ThreadBlock &thread, const Device &device, CUdevice_attribute which, bool *out) noexcept;
// NOT_SUPPORTED: the device lacks the condition or the flag.
Status check_wait_value(ThreadBlock &thread, const Device &device, uint32_t flags) noexcept;

} // namespace gs::cuda
