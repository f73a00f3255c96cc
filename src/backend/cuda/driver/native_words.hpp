// SPDX-License-Identifier: Apache-2.0
// The backends' words for streams and events as the driver's types.
#pragma once

#include <cuda.h>

#include "backend/backend.hpp"

namespace gs::cuda {

// Words that mean "of the current context" to the driver.
inline bool is_default_word(uintptr_t native) noexcept { return native <= kNativePerThreadStream; }

inline CUstream to_stream(StreamRef stream) noexcept { return reinterpret_cast<CUstream>(stream.native); }
inline CUevent to_event(uintptr_t event) noexcept { return reinterpret_cast<CUevent>(event); }

} // namespace gs::cuda
