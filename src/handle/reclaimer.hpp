// SPDX-License-Identifier: Apache-2.0
// Ended objects on their way to their next use, while calls that found them by their old handle may still run. An object is
// retired when it ends; a grace period serves all that were retired before it began; then they are free.
// docs/design/lives.md has the picture. A reclaimer has no lock: its owner has one, or is the only thread that uses it.
#pragma once

#include "base/free_list.hpp"
#include "handle/grace.hpp"
#include "handle/slot_map.hpp"

namespace gs {

template <typename T>
class Reclaimer {
public:
    void retire(T &one) noexcept { retired_.push(one); }
    uint32_t retired() const noexcept { return retired_.count(); }
    bool empty() const noexcept { return retired_.empty() && waiting_.empty(); }

    // Begins a period if none is running and a batch has been retired. self: the calling thread, as in Grace::begin().
    bool begin(const ThreadBlock *self, uint32_t batch = 1) noexcept {
        if (!waiting_.empty() || retired_.count() < batch) return false;
        waiting_.take_from(retired_);
        grace_.begin(self);
        return true;
    }
    // The objects whose period is over. One that a blocking call has pinned waits for the next period, too.
    FreeList<T> take_over() noexcept {
        FreeList<T> done;
        if (waiting_.empty() || !grace_.over()) return done;
        while (T *one = waiting_.pop()) (is_pinned(*one) ? retired_ : done).push(*one);
        return done;
    }

    // The thread ends: the thread that takes the objects over begins another period for them.
    void leave_all(FreeList<T> &list) noexcept {
        list.take_from(waiting_);
        list.take_from(retired_);
    }
    void retire_from(FreeList<T> &list, uint32_t most = UINT32_MAX) noexcept { retired_.take_from(list, most); }

private:
    FreeList<T> retired_;
    FreeList<T> waiting_; // for the end of the period
    Grace grace_;
};

// Slots of one kind that are free for the next object: those that have had one, then new ones of the slot map. The owner's lock
// guards them.
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
