// SPDX-License-Identifier: Apache-2.0
// Queues of completions.
#pragma once

#include <cstdint>
#include <new>
#include <utility>

#include "base/free_list.hpp"
#include "base/lock.hpp"
#include "base/status.hpp"
#include "core/completion/point.hpp"
#include "core/slots.hpp"

namespace gs {

// A queue, its entries and its file descriptor.

// The line is about to be written, and has been changed by another core: it takes as long as a hundred instructions to arrive. The
// address may be a null pointer.
inline void prefetch_to_write(const void *line) noexcept {
#if defined(__x86_64__)
    // Compilers make it a request to read, after which the first store asks once more. Other processors
    // ignore it.
    asm volatile("prefetchw %0" : : "m"(*static_cast<const char *>(line)));
#else
    __builtin_prefetch(line, 1);
#endif
}

// The file descriptor of a queue: an eventfd, made at the first request.
class QueueFd {
public:
    // The number for the caller.
    Status get(int32_t *out_fd) noexcept;
    // Makes it readable or not. No system call if it is so already.
    void set_readable(bool readable) noexcept;
    void close() noexcept;
    // In a forked child. Only a store: what the child has is the parent's file until it is next used.
    void inherit() noexcept { inherited_ = own_ >= 0; }

private:
    Status renew() noexcept;
    void apply() noexcept;

    // The library writes to a descriptor that no other code knows. If the caller closes the one that was given out, its number may
    // name another file by then.
    int own_ = -1;
    int shown_ = -1;
    bool wanted_ = false;
    bool readable_ = false;
    bool inherited_ = false;
};

// A queue and its entries. A queue's slot stays allocated, and every access takes its lock and compares the handle, so
// that a queue that ends needs no grace period. An entry lives until it was taken and its point is reached.
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
    QueueEntry *newer = nullptr; // in the chain of its token
    QueueEntry *older = nullptr;

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

// The pending ones: in the order in which they were added and, once there are many, by their tokens.
class PendingEntries {
public:
    PendingEntries() noexcept = default;
    ~PendingEntries() { delete[] chains_; }
    PendingEntries(const PendingEntries &) = delete;
    PendingEntries &operator=(const PendingEntries &) = delete;

    QueueEntry *first() const noexcept { return entries_.first(); }
    void append(QueueEntry &entry) noexcept {
        entries_.append(entry);
        if (chains_) link(entry);
        if (++count_ > kFew + 2 * chain_count_) make_chains();
    }
    void remove(QueueEntry &entry) noexcept {
        entries_.remove(entry);
        --count_;
        if (chains_) unlink(entry);
    }
    // body(entry) for those with the token, oldest first. It may remove the entry.
    template <typename Body>
    void visit(uint64_t token, Body &&body) noexcept {
        QueueEntry *entry = chains_ ? last_of(chain_of(token)) : entries_.first();
        while (entry) {
            QueueEntry *following = chains_ ? entry->newer : entry->after;
            if (entry->token == token) body(*entry);
            entry = following;
        }
    }
    // Without entries.
    void trim() noexcept {
        delete[] std::exchange(chains_, nullptr);
        chain_count_ = 0;
    }

private:
    static constexpr size_t kFew = 64; // are looked through

    QueueEntry *&chain_of(uint64_t token) const noexcept {
        return chains_[(token * 0x9E3779B97F4A7C15u >> 32) & (chain_count_ - 1)];
    }
    static QueueEntry *last_of(QueueEntry *entry) noexcept {
        while (entry && entry->older) entry = entry->older;
        return entry;
    }
    void link(QueueEntry &entry) noexcept {
        QueueEntry *&chain = chain_of(entry.token);
        entry.newer = nullptr;
        entry.older = chain;
        if (chain) chain->newer = &entry;
        chain = &entry;
    }
    void unlink(QueueEntry &entry) noexcept {
        (entry.newer ? entry.newer->older : chain_of(entry.token)) = entry.older;
        if (entry.older) entry.older->newer = entry.newer;
    }
    // Without memory the entries stay in longer chains, or in none.
    void make_chains() noexcept {
        const size_t count = chain_count_ == 0 ? kFew : 4 * chain_count_;
        auto **made = new (std::nothrow) QueueEntry *[count]();
        if (!made) return;
        delete[] std::exchange(chains_, made);
        chain_count_ = count;
        for (QueueEntry *entry = entries_.first(); entry; entry = entry->after) link(*entry);
    }

    EntryList entries_;
    size_t count_ = 0;
    QueueEntry **chains_ = nullptr;
    size_t chain_count_ = 0; // a power of two; 0: none
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
    PendingEntries pending;
    EntryList ready;
    FreeList<QueueEntry, &QueueEntry::after> spare;
    QueueFd fd;
    QueueSlot *next = nullptr;
};

// What becomes of the entries of a queue. Everything here is called under the queue's lock.

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

Status create_queue(uint32_t capacity, uint64_t *out_handle) noexcept;
Status retain_queue(uint64_t handle) noexcept;
Status release_queue(uint64_t handle) noexcept;
bool queue_lives(uint64_t handle) noexcept;
Status queue_fd(uint64_t handle, int32_t *out_fd) noexcept;
// Both under the caller's CallMark.
Status queue_add_stream(ThreadBlock &thread, uint64_t handle, StreamSlot &stream, uint64_t token) noexcept;
Status queue_add_event(ThreadBlock &thread, uint64_t handle, EventSlot &event, uint64_t token) noexcept;
Status cancel_in_queue(uint64_t handle, uint64_t token, size_t *out_count) noexcept;
Status wake_queue(uint64_t handle) noexcept;
Status poll_queue(uint64_t handle, gs_completion_t *out_entries, size_t capacity, size_t *out_count) noexcept;
Status wait_queue(uint64_t handle, gs_completion_t *out_entries, size_t capacity, int64_t timeout_ns,
                  size_t *out_count) noexcept;

} // namespace gs
