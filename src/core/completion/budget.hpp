// SPDX-License-Identifier: Apache-2.0
// The share of a processor that a thread may spend on asking and spinning. No clock: the caller says what time it is.
#pragma once

#include <algorithm>
#include <cstdint>

namespace gs {

class Budget {
public:
    static constexpr uint64_t kMostSavedNs = 4'000'000; // after a quiet time

    explicit constexpr Budget(uint32_t share_percent) noexcept : share_percent_(share_percent) {}

    // Time passed; `busy` of it was spent.
    void pass(uint64_t ns, bool busy) noexcept {
        const uint64_t earned = ns * share_percent_ / 100;
        saved_ns_ = std::min(saved_ns_ + earned, kMostSavedNs);
        if (busy) saved_ns_ -= std::min(ns, saved_ns_);
    }
    bool may_spin() const noexcept { return saved_ns_ > 0; }

private:
    uint64_t saved_ns_ = kMostSavedNs / 8;
    uint32_t share_percent_;
};

} // namespace gs
