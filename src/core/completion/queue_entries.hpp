// SPDX-License-Identifier: Apache-2.0
// What becomes of the entries of a queue. Everything here is called under the queue's lock.
#pragma once

#include "core/completion/queue_slot.hpp"

namespace gs {

// Entries that are freed when the queue's lock has been released: a driver event may have to be destroyed.
class Surplus {
public:
    Surplus() noexcept = default;
    ~Surplus() {
        while (QueueEntry *entry = entries_.pop()) {
            drop_kept_event(*entry);
            delete entry;
        }
    }
    Surplus(const Surplus &) = delete;
    Surplus &operator=(const Surplus &) = delete;
    void add(QueueEntry &entry) noexcept { entries_.push(entry); }

private:
    FreeList<QueueEntry, &QueueEntry::after> entries_;
};

void refresh_fd(QueueSlot &queue) noexcept;
// A pending entry can be taken from now on. True: threads wait for one, and the caller wakes them, best without the lock.
bool make_entry_ready(QueueSlot &queue, QueueEntry &entry, const Outcome &outcome) noexcept;
// The entry is neither the queue's nor the scanner's any more.
void recycle_entry(QueueSlot &queue, QueueEntry &entry, Surplus &surplus) noexcept;
// Of an entry that the queue no longer has.
void forget_entry(QueueSlot &queue, QueueEntry &entry, Surplus &surplus) noexcept;
// Hands out what is ready.
size_t take_ready(QueueSlot &queue, gs_completion_t *out_entries, size_t capacity, Surplus &surplus) noexcept;

} // namespace gs
