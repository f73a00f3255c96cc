// SPDX-License-Identifier: Apache-2.0
// What the front calls of the real driver; a member is nullptr where that driver lacks the function.
#pragma once

#include <cudaTypedefs.h>

namespace gs::front {

struct RealDriver {
#define REAL(member, type, symbol) type member;
#include "front/real_driver.inc"
#undef REAL
};
extern RealDriver g_real;

// nullptr: none.
inline CUcontext current_context() noexcept {
    CUcontext context = nullptr;
    return g_real.get_context && g_real.get_context(&context) == CUDA_SUCCESS ? context : nullptr;
}

} // namespace gs::front
