// SPDX-License-Identifier: Apache-2.0
// The slots behind handles. They live in chunks that are never freed, so any 64-bit number may be checked at any time.
//
// A slot is live while slot.handle equals the caller's number: kind, backend, generation and index are compared at once.
// Its generation only grows; a slot whose generation would wrap is not used again.
#pragma once

#include <atomic>
#include <cstdint>
#include <new>

#include "base/free_list.hpp"
#include "base/lock.hpp"
#include "base/status.hpp"
#include "base/thread_block.hpp"
#include "handle/grace.hpp"
#include "handle/handle_bits.hpp"

namespace gs {

inline constexpr uint32_t kNoOwner = 0;
inline constexpr uint32_t kManyOwners = UINT32_MAX;

struct SlotBase {
    std::atomic<uint64_t> handle{0}; // 0: not live
    std::atomic<uint64_t> users{0};  // references: of callers, each kCaller, and of the library, each kHolder
    // Id of the only thread that has used the object so far, or kManyOwners. While one thread owns it, that thread may
    // reuse the slot as soon as it destroys the object: no other thread can be inside a call on it.
    std::atomic<uint32_t> owner{kManyOwners};
    std::atomic<uint32_t> pins{0}; // blocking calls inside, which hold no CallMark: the slot is reused at 0 only
    uint32_t index = 0;
    uint32_t generation = 0;
};

// Such a slot must be dropped when its object ends: its next handle would equal one that a caller may still have.
inline bool used_up(const SlotBase &slot) noexcept { return slot.generation == UINT32_MAX; }

inline bool is_pinned(const SlotBase &slot) noexcept { return slot.pins.load(std::memory_order_seq_cst) != 0; }

// What a reference adds to `users`. A caller that destroys its object too often cannot release a holder's.
inline constexpr uint64_t kCaller = 1, kHolder = uint64_t{1} << 32;
inline uint32_t callers_of(uint64_t users) noexcept { return static_cast<uint32_t>(users); }

// Adds a reference. False: the object has no reference left, so it has ended or is about to.
inline bool add_user(SlotBase &slot, uint64_t reference = kCaller) noexcept {
    uint64_t users = slot.users.load(std::memory_order_relaxed);
    while (users != 0) // as drop_user(), see model stream_is_entered
        if (slot.users.compare_exchange_weak(users, users + reference, std::memory_order_seq_cst)) return true;
    return false;
}
// Removes a reference and returns the word before. If that is the reference alone, the calling function ends the object.
// 0: there was no such reference, and `users` stays as it was.
inline uint64_t drop_user(SlotBase &slot, uint64_t reference = kCaller) noexcept {
    uint64_t users = slot.users.load(std::memory_order_relaxed);
    do {
        if ((reference == kCaller ? callers_of(users) : users >> 32) == 0) return 0;
    } while (!slot.users.compare_exchange_weak(users, users - reference, std::memory_order_seq_cst));
    return users;
}

// Of each kind: the largest index that a slot was taken with, which tells numbers that were handles from others.
inline constinit std::atomic<uint32_t> g_highest_index[16] __attribute__((visibility("hidden"))) = {};

// All of its initial value is zero, so a static map lies in .bss.
template <typename Slot, Kind kKind>
class SlotMap {
public:
    static constexpr uint32_t kChunkBits = 8;
    static constexpr uint32_t kChunkSlots = 1u << kChunkBits;
    static constexpr uint32_t kChunks = (kMaxIndex + 1) >> kChunkBits;

    // The slot that the number names if it is live now, else nullptr. Sequentially consistent because a CallMark precedes
    // it (see grace.hpp); on x86-64 and AArch64 such a load costs the same as an acquire load.
    Slot *find(uint64_t handle) const noexcept {
        Slot *slot = at(handle_index(handle));
        if (!slot || slot->handle.load(std::memory_order_seq_cst) != handle) return nullptr;
        return slot;
    }

    Slot *at(uint32_t index) const noexcept {
        // Pairs with add_chunk, as who sees a word in model first_record_is_seen_whole sees what it names.
        Slot *chunk = chunks_[index >> kChunkBits].load(std::memory_order_acquire);
        return chunk ? &chunk[index & (kChunkSlots - 1)] : nullptr;
    }

    // Takes up to `wanted` slots that never held an object. Returns how many; 0 when memory or indices are out.
    uint32_t take_fresh(Slot **out, uint32_t wanted) noexcept {
        MutexLock lock(mutex_);
        uint32_t taken = 0;
        while (taken < wanted && last_ < kMaxIndex) {
            std::atomic<Slot *> &chunk = chunks_[(last_ + 1) >> kChunkBits];
            if (!chunk.load(std::memory_order_relaxed) && !add_chunk(chunk)) break;
            out[taken++] = at(++last_);
        }
        std::atomic<uint32_t> &highest = g_highest_index[static_cast<size_t>(kKind)];
        if (highest.load(std::memory_order_relaxed) < last_) highest.store(last_, std::memory_order_relaxed);
        return taken;
    }

    // The handle of the slot's next object. The slot must not be used up.
    uint64_t next_handle(Slot &slot, uint32_t backend) noexcept {
        return make_handle(kKind, backend, ++slot.generation, slot.index);
    }

    // The largest index that was taken so far; at() finds all from 1 to it.
    uint32_t last_index() noexcept {
        MutexLock lock(mutex_);
        return last_;
    }
    Mutex &mutex() noexcept { return mutex_; }

private:
    bool add_chunk(std::atomic<Slot *> &chunk) noexcept GS_REQUIRES(mutex_) {
        Slot *slots = new (std::nothrow) Slot[kChunkSlots];
        if (!slots) return false;
        const uint32_t first = (last_ + 1) & ~(kChunkSlots - 1);
        for (uint32_t i = 0; i < kChunkSlots; ++i) slots[i].index = first + i;
        // No object lives at index 0. A number with this index differs from 1, so find(0) needs no test of its own.
        if (first == 0) slots[0].handle.store(1, std::memory_order_relaxed);
        // Publishes plain memory, as the record does in model first_record_is_seen_whole.
        chunk.store(slots, std::memory_order_release);
        return true;
    }

    std::atomic<Slot *> chunks_[kChunks] = {};
    Mutex mutex_;
    uint32_t last_ = 0;
};

// Marks the slot as used by more than its owner. Returns false when the object was destroyed in between. The owner's
// destroy clears the handle and then reads `owner`; this function sets `owner` and then reads the handle. All four
// steps are sequentially consistent, so one of the two threads sees the other.
inline bool share_slot(SlotBase &slot, uint64_t handle) noexcept {
    uint32_t owner = slot.owner.load(std::memory_order_seq_cst);
    do {
        if (owner == kNoOwner) return false; // claimed by its destroy
    } while (!slot.owner.compare_exchange_weak(owner, kManyOwners, std::memory_order_seq_cst));
    return slot.handle.load(std::memory_order_seq_cst) == handle;
}

// For a destroy that must decide before it clears the handle. Returns true if no other thread ever used the object.
// Then none can start to.
inline bool claim_slot(SlotBase &slot, uint32_t thread_id) noexcept {
    return slot.owner.compare_exchange_strong(thread_id, kNoOwner, std::memory_order_seq_cst);
}

// The same for objects that live exactly as long as they have users. Their last destroy takes `users` to 0, clears the
// handle with release, and then reads `owner`. A new object stores `users` with release as well.
inline bool counted_slot_lives(const SlotBase &slot, uint64_t handle) noexcept {
    return slot.users.load(std::memory_order_seq_cst) != 0 && slot.handle.load(std::memory_order_seq_cst) == handle;
}
inline bool share_counted_slot(SlotBase &slot, uint64_t handle) noexcept {
    slot.owner.exchange(kManyOwners, std::memory_order_seq_cst);
    return counted_slot_lives(slot, handle);
}

// Called after find(). Since find() saw the handle, the object's only user may have destroyed it and created the
// slot's next object, which several threads use by now. No grace period waits for this call then, so the call must
// read the handle again.
inline bool note_use(SlotBase &slot, uint64_t handle, uint32_t thread_id) noexcept {
    const uint32_t owner = slot.owner.load(std::memory_order_seq_cst);
    if (owner == thread_id) return true;
    if (owner != kManyOwners) return share_slot(slot, handle);
    return slot.handle.load(std::memory_order_seq_cst) == handle;
}
inline bool note_counted_use(SlotBase &slot, uint64_t handle, uint32_t thread_id) noexcept {
    const uint32_t owner = slot.owner.load(std::memory_order_seq_cst);
    if (owner == thread_id) return true;
    if (owner != kManyOwners) return share_counted_slot(slot, handle);
    return counted_slot_lives(slot, handle);
}

// Keeps a slot from being reused during a blocking call, which cannot hold a CallMark (it would hold up every grace
// period). The pin is taken under a CallMark: the grace period that waits for this mark sees the pin.
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

// Ended objects on their way to their next use, while calls that found them by their old handle may still run. An object is
// retired when it ends; a grace period serves all that were retired before it began; then they are free.
// docs/design/lives.md has the picture. A reclaimer has no lock: its owner has one, or is the only thread that uses it.

template <typename T>
class Reclaimer {
public:
    void retire(T &one) noexcept { retired_.push(one); }
    uint32_t retired() const noexcept { return retired_.count(); }
    bool empty() const noexcept { return retired_.empty() && waiting_.empty(); }

    // Begins a period if none is running and a batch has been retired. A call that the calling thread is inside counts, too.
    bool begin(uint32_t batch = 1) noexcept {
        if (!waiting_.empty() || retired_.count() < batch) return false;
        waiting_.take_from(retired_);
        grace_.begin();
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
