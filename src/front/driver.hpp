// SPDX-License-Identifier: Apache-2.0
// What the front calls of the real driver; a member is nullptr where that driver lacks the function.
#pragma once

#include <cudaTypedefs.h>

#include <cstdint>

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

// What the front's own calls need around them, so that a program notices none of them.

// While it lives, captures of any thread in the global mode allow this thread to ask about other streams and events.
class Relaxed {
public:
    Relaxed() noexcept { exchange(); }
    ~Relaxed() { exchange(); }
    Relaxed(const Relaxed &) = delete;
    Relaxed &operator=(const Relaxed &) = delete;

private:
    void exchange() noexcept {
        if (g_real.exchange_mode) g_real.exchange_mode(&mode_);
    }
    CUstreamCaptureMode mode_ = CU_STREAM_CAPTURE_MODE_RELAXED;
};

// While it lives, the context of a stream is current on a thread that has none: many calls with a stream do without.
class StreamContext {
public:
    // in_place: of another one that is current, too. The driver is asked then, which may break a capture of this stream.
    explicit StreamContext(uint64_t stream, bool in_place = false) noexcept;
    ~StreamContext();
    StreamContext(const StreamContext &) = delete;
    StreamContext &operator=(const StreamContext &) = delete;

private:
    bool pushed_ = false;
};

inline StreamContext::StreamContext(uint64_t stream, bool in_place) noexcept {
    CUcontext context = nullptr, current = current_context();
    if (current && !in_place) return;
    const Relaxed relaxed;
    pushed_ = stream > 2 && g_real.get_stream_context && g_real.push_context &&
              g_real.get_stream_context(reinterpret_cast<CUstream>(stream), &context) == CUDA_SUCCESS &&
              context != current && g_real.push_context(context) == CUDA_SUCCESS;
}

inline StreamContext::~StreamContext() {
    CUcontext context = nullptr;
    if (pushed_ && g_real.pop_context) g_real.pop_context(&context);
}

} // namespace gs::front
