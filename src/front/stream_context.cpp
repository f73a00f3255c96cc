// SPDX-License-Identifier: Apache-2.0
#include "front/stream_context.hpp"

namespace gs::front {

StreamContext::StreamContext(uint64_t stream, bool in_place) noexcept {
    CUcontext context = nullptr, current = current_context();
    if (current && !in_place) return;
    const Relaxed relaxed;
    pushed_ = stream > 2 && g_real.get_stream_context && g_real.push_context &&
              g_real.get_stream_context(reinterpret_cast<CUstream>(stream), &context) == CUDA_SUCCESS &&
              context != current && g_real.push_context(context) == CUDA_SUCCESS;
}

StreamContext::~StreamContext() {
    CUcontext context = nullptr;
    if (pushed_ && g_real.pop_context) g_real.pop_context(&context);
}

} // namespace gs::front
