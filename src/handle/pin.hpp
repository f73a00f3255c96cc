// SPDX-License-Identifier: Apache-2.0
// Keeps a slot from being reused during a blocking call, which cannot hold a CallMark (it would hold up every grace
// period). The pin is taken under a CallMark: the grace period that waits for this mark sees the pin.
#pragma once

#include "handle/slot_map.hpp"

namespace gs {

class PinGuard {
public:
    PinGuard() noexcept = default;
    ~PinGuard() {
        if (slot_) slot_->pins.fetch_sub(1, std::memory_order_seq_cst);
    }
    PinGuard(const PinGuard &) = delete;
    PinGuard &operator=(const PinGuard &) = delete;

    void take(SlotBase &slot) noexcept {
        slot.pins.fetch_add(1, std::memory_order_seq_cst);
        slot_ = &slot;
    }

private:
    SlotBase *slot_ = nullptr;
};

} // namespace gs
