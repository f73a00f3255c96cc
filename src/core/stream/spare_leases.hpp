// SPDX-License-Identifier: Apache-2.0
// A few leased streams that nothing was enqueued to, kept by the thread that destroyed them. Creating and destroying
// streams in a loop then takes no lock.
#pragma once

#include "core/slots.hpp"

namespace gs {

class SpareLeases {
public:
    StreamSlot *take(const Device &device, int32_t priority, bool blocking) noexcept {
        for (StreamSlot **place = &first_; *place; place = &(*place)->next) {
            StreamSlot *slot = *place;
            if (slot->device != &device || slot->priority != priority || slot->blocking() != blocking) continue;
            *place = slot->next;
            --count_;
            return slot;
        }
        return nullptr;
    }
    // False: the stream was used, belongs to a partition, which ends with the streams that are kept for it, or there are enough.
    bool give(StreamSlot &slot) noexcept {
        if (count_ == kMost || slot.partition || slot.use.load(std::memory_order_relaxed) != StreamUse::None)
            return false;
        set_state(slot, StreamState::Spare);
        slot.next = first_;
        first_ = &slot;
        ++count_;
        return true;
    }
    StreamSlot *take_any() noexcept {
        StreamSlot *slot = first_;
        if (!slot) return nullptr;
        first_ = slot->next;
        --count_;
        return slot;
    }

private:
    static constexpr int kMost = 4;
    StreamSlot *first_ = nullptr;
    int count_ = 0;
};

} // namespace gs
