// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/cuda/context/cuda_device.hpp"

namespace gs::cuda {

// A sticky error is visible to every call in the context: asks for it without waiting and without side effects.
Status probe_sticky(ThreadBlock &thread, Device &device) noexcept;

} // namespace gs::cuda
