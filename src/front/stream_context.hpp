// SPDX-License-Identifier: Apache-2.0
// What the front's own calls need around them, so that a program notices none of them.
#pragma once

#include <cstdint>

#include "front/driver.hpp"

namespace gs::front {

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

} // namespace gs::front
