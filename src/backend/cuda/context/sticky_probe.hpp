// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/cuda/context/cuda_device.hpp"

namespace gs::cuda {

// Every call in the context reports a sticky error. This one asks for it at once and changes nothing.
Status probe_sticky(ThreadBlock &thread, Device &device) noexcept;

} // namespace gs::cuda
