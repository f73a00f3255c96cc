// SPDX-License-Identifier: Apache-2.0
// Whether this process can still use a device. The first failure that ends this is kept, with the call that showed
// it.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/lock.hpp"
#include "base/status.hpp"

namespace gs::gpu {

class HealthLatch {
public:
    enum State : uint32_t { kHealthy = 0, kSticky = 1, kLost = 2, kReset = 3 };

    // What went wrong. The texts are static.
    struct Cause {
        NativeError native;
        const char *name; // of the code, for the origin; up to its colon
        const char *text; // of the code, for messages
    };

    bool latched() const noexcept { return state_.load(std::memory_order_relaxed) != kHealthy; }
    // The context is gone: other code reset it, or this library did.
    bool lost() const noexcept { return state_.load(std::memory_order_relaxed) >= kLost; }
    // Non-zero once latched; hot paths read it.
    const std::atomic<uint32_t> &word() const noexcept { return state_; }

    // Keeps the first cause and ignores later ones. Returns true for the first.
    bool latch(State state, int32_t ordinal, const Cause &cause, uint64_t thread) noexcept __attribute__((cold));
    // STICKY or CONTEXT_LOST with the origin. Only once latched.
    Status status(int32_t ordinal) noexcept __attribute__((cold));

private:
    std::atomic<uint32_t> state_{kHealthy}; // never goes back
    Mutex mutex_;
    NativeError native_ GS_GUARDED_BY(mutex_) = {};
    const char *text_ GS_GUARDED_BY(mutex_) = nullptr;
    char origin_[256] GS_GUARDED_BY(mutex_) = {};
};

} // namespace gs::gpu
