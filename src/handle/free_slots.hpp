// SPDX-License-Identifier: Apache-2.0
// Slots of one kind that are free for the next object: those that have had one, then new ones of the slot map. The owner's lock
// guards them.
#pragma once

#include "base/free_list.hpp"
#include "handle/grace.hpp"
#include "handle/slot_map.hpp"

namespace gs {

template <typename Slot>
class FreeSlots {
public:
    // nullptr: memory or handles are out.
    template <Kind kKind>
    Slot *take(SlotMap<Slot, kKind> &map) noexcept {
        prepare_marks();
        Slot *slot = free_.pop();
        return slot || map.take_fresh(&slot, 1) == 1 ? slot : nullptr;
    }
    // A slot that is used up is not used again.
    void give(Slot &slot) noexcept {
        // one-sided: needs 2^32 objects in one slot
        if (!used_up(slot)) free_.push(slot);
    }

private:
    FreeList<Slot> free_;
};

} // namespace gs
