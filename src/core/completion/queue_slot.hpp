// SPDX-License-Identifier: Apache-2.0
// A queue and its entries. A queue's slot is never freed, and every access takes its lock and compares the handle, so that a
// queue that ends needs no grace period. An entry lives until it was taken and its point is reached.
#pragma once

#include "base/brief_lock.hpp"
#include "base/condition.hpp"
#include "base/free_list.hpp"
#include "base/prefetch.hpp"
#include "core/completion/point.hpp"
#include "core/completion/queue_fd.hpp"

namespace gs {

struct QueueSlot;

enum class EntryState : uint8_t { Pending, Ready, Gone };

struct alignas(64) QueueEntry : Point {
    explicit QueueEntry(QueueSlot &slot) noexcept : queue(&slot) { keeps = true; }

    QueueSlot *const queue;
    // The line of those who have the queue's lock, which guards all but `adding`.
    alignas(64) uint64_t token = 0;
    std::atomic<bool> adding{true}; // the call that adds it may still fail, so nothing is delivered yet
    EntryState state = EntryState::Pending;
    bool watched = true; // the scanner has it, or will have it
    Outcome result{};
    QueueEntry *before = nullptr;
    QueueEntry *after = nullptr;

    // Neither the queue nor the scanner has it any more; the driver event stays.
    void clear() noexcept {
        number = 0;
        dropped.store(false, std::memory_order_relaxed);
    }
    // Before its next use. The scanner, or who took the entry, has written its lines last.
    void fetch() const noexcept {
        prefetch_to_write(static_cast<const Point *>(this));
        prefetch_to_write(&token);
    }
    // For its next use.
    void renew() noexcept {
        adding.store(true, std::memory_order_relaxed);
        state = EntryState::Pending;
        watched = true;
    }
};

// Doubly linked: entries leave in any order.
class EntryList {
public:
    QueueEntry *first() const noexcept { return first_; }
    void append(QueueEntry &entry) noexcept {
        entry.before = last_;
        entry.after = nullptr;
        (last_ ? last_->after : first_) = &entry;
        last_ = &entry;
    }
    void remove(QueueEntry &entry) noexcept {
        (entry.before ? entry.before->after : first_) = entry.after;
        (entry.after ? entry.after->before : last_) = entry.before;
    }

private:
    QueueEntry *first_ = nullptr;
    QueueEntry *last_ = nullptr;
};

struct alignas(64) QueueSlot : SlotBase {
    BriefLock mutex; // guards all below, and `handle` of SlotBase
    Condition changed;
    uint32_t capacity = 0;
    uint32_t undelivered = 0; // pending or ready
    uint32_t waiting = 0;     // threads in wait_queue()
    uint64_t wakes = 0;
    uint64_t alerts = 0;           // an entry is expected soon
    std::atomic<uint32_t> turn{0}; // changes with every entry, wake and end
    bool woken = false;            // while no thread waited
    EntryList pending;
    EntryList ready;
    FreeList<QueueEntry, &QueueEntry::after> spare;
    QueueFd fd;
    QueueSlot *next = nullptr;
};

} // namespace gs
