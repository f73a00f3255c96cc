// SPDX-License-Identifier: Apache-2.0
// What is kept of a GPU driver's device: whether it can still be used, its identity, its priorities.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "base/lock.hpp"
#include "base/status.hpp"
#include "inventory/entries.hpp"

namespace gs::gpu {

// Whether this process can still use a device. The first failure that ends this is kept, with the call that showed
// it.
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

// What the driver said of each device. A forked child, which may not ask the driver, gets the answer from here.
class IdentityMemo {
public:
    // Keeps the first answer. No effect for ordinals beyond the table.
    void remember(int32_t ordinal, const inventory::Identity &identity) noexcept;
    // False if nothing was kept. Throws bad_alloc.
    bool recall(int32_t ordinal, inventory::Identity *out) const;

private:
    static constexpr int32_t kPlaces = 64;
    struct Place {
        enum State : uint32_t { kEmpty, kBeingWritten, kWritten };
        std::atomic<uint32_t> state{kEmpty};
        char uuid[64] = "";
        bool has_pci = false;
        int32_t pci_domain = 0, pci_bus = 0, pci_device = 0;
    };
    Place places_[kPlaces];
};

// Stream priorities as plain numbers: lower is more urgent, 0 and 0 where a device has no priorities.
struct PriorityRange {
    int32_t least = 0;    // the largest number
    int32_t greatest = 0; // the smallest
};

// What the driver does silently to a priority out of range: the effective priority is known without a call.
constexpr int32_t clamp_priority(PriorityRange range, int32_t priority) noexcept {
    return std::max(range.greatest, std::min(range.least, priority));
}

// One word, so that a device's range is published in one step; 0: no range yet.
constexpr uint64_t pack_range(PriorityRange range) noexcept {
    return uint64_t{1} << 63 | uint64_t{static_cast<uint16_t>(range.least)} << 16 |
           static_cast<uint16_t>(range.greatest);
}
constexpr PriorityRange unpack_range(uint64_t packed) noexcept {
    return {static_cast<int16_t>(packed >> 16 & 0xFFFF), static_cast<int16_t>(packed & 0xFFFF)};
}

} // namespace gs::gpu
