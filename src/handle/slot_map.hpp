// SPDX-License-Identifier: Apache-2.0
// Slots behind handles. They live in chunks that are never freed, so any 64-bit number may be checked at any time.
//
// A slot is live while slot.handle equals the caller's number: kind, backend, generation and index are compared at once.
// Its generation only grows; a slot whose generation would wrap is retired for ever.
#pragma once

#include <atomic>
#include <cstdint>
#include <new>

#include "base/mutex.hpp"
#include "base/status.hpp"
#include "base/thread_block.hpp"
#include "handle/handle_bits.hpp"

namespace gs {

inline constexpr uint32_t kNobody = 0;
inline constexpr uint32_t kEverybody = UINT32_MAX;

struct SlotBase {
    std::atomic<uint64_t> handle{0}; // 0: not live
    // ThreadBlock id of the only thread that has used the object so far, or kEverybody. While it is one thread's, that
    // thread may reuse the slot the moment it destroys the object: nobody else can be inside a call on it.
    std::atomic<uint32_t> owner{kEverybody};
    std::atomic<uint32_t> users{0}; // references of callers
    std::atomic<uint32_t> pins{0};  // blocking calls inside: they hold no CallMark, and bar reuse by this count
    uint32_t index = 0;
    uint32_t generation = 0;
};

template <typename Slot>
class SlotMap {
public:
    static constexpr uint32_t kChunkBits = 8;
    static constexpr uint32_t kChunkSlots = 1u << kChunkBits;
    static constexpr uint32_t kChunks = (kMaxIndex + 1) >> kChunkBits;

    explicit constexpr SlotMap(Kind kind) noexcept : kind_(kind) {}

    // The slot the number names if that is live now, else nullptr. Sequentially consistent because a CallMark precedes
    // it (see grace.hpp); on x86-64 and AArch64 such a load costs what an acquire load does.
    Slot *find(uint64_t handle) const noexcept {
        Slot *slot = at(handle_index(handle));
        if (!slot || slot->handle.load(std::memory_order_seq_cst) != handle || handle == 0) return nullptr;
        return slot;
    }

    Slot *at(uint32_t index) const noexcept {
        Slot *chunk = chunks_[index >> kChunkBits].load(std::memory_order_acquire);
        return chunk ? &chunk[index & (kChunkSlots - 1)] : nullptr;
    }

    // Up to `wanted` slots that never held an object. Returns how many; 0: memory or indices are out.
    uint32_t take_fresh(Slot **out, uint32_t wanted) noexcept {
        MutexLock lock(mutex_);
        uint32_t taken = 0;
        while (taken < wanted && next_ <= kMaxIndex) {
            std::atomic<Slot *> &chunk = chunks_[next_ >> kChunkBits];
            if (!chunk.load(std::memory_order_relaxed) && !add_chunk(chunk)) break;
            out[taken++] = at(next_++);
        }
        return taken;
    }

    // The number the slot's next object will have; 0 when its generations are used up (drop the slot then).
    uint64_t next_handle(Slot &slot, uint32_t backend) noexcept {
        if (slot.generation == UINT32_MAX) return 0;
        return make_handle(kind_, backend, ++slot.generation, slot.index);
    }

    // Slots handed out so far, all of which at() finds; for walks under the caller's own rules.
    uint32_t size() noexcept {
        MutexLock lock(mutex_);
        return next_;
    }
    Mutex &mutex() noexcept { return mutex_; }

private:
    bool add_chunk(std::atomic<Slot *> &chunk) noexcept GS_REQUIRES(mutex_) {
        Slot *slots = new (std::nothrow) Slot[kChunkSlots];
        if (!slots) return false;
        for (uint32_t i = 0; i < kChunkSlots; ++i) slots[i].index = (next_ & ~(kChunkSlots - 1)) + i;
        chunk.store(slots, std::memory_order_release);
        return true;
    }

    const Kind kind_;
    Mutex mutex_;
    uint32_t next_ = 0;
    std::atomic<Slot *> chunks_[kChunks] = {};
};

// Makes the slot known to be used by more than its owner. False: it was destroyed meanwhile.
// The owner's destroy clears the handle and then reads `owner`, this sets `owner` and then reads the handle, all
// sequentially consistent: one of the two sees the other.
inline bool share_slot(SlotBase &slot, uint64_t handle) noexcept {
    uint32_t owner = slot.owner.load(std::memory_order_seq_cst);
    do {
        if (owner == kNobody) return false; // claimed by its destroy
    } while (!slot.owner.compare_exchange_weak(owner, kEverybody, std::memory_order_seq_cst));
    return slot.handle.load(std::memory_order_seq_cst) == handle;
}

// For a destroy that must decide before it clears the handle. True: no other thread ever used the object, nor can any more.
inline bool claim_slot(SlotBase &slot, uint32_t thread_id) noexcept {
    return slot.owner.compare_exchange_strong(thread_id, kNobody, std::memory_order_seq_cst);
}

// The same for objects that live exactly as long as they have users: their last destroy takes `users` to 0 and then reads
// `owner`. It clears the handle in between, with release, and so does `users` become non-zero for a new object.
inline bool counted_slot_lives(const SlotBase &slot, uint64_t handle) noexcept {
    return slot.users.load(std::memory_order_seq_cst) != 0 && slot.handle.load(std::memory_order_seq_cst) == handle;
}
inline bool share_counted_slot(SlotBase &slot, uint64_t handle) noexcept {
    slot.owner.exchange(kEverybody, std::memory_order_seq_cst);
    return counted_slot_lives(slot, handle);
}

// What comes after find(). Since it saw the handle, the object's only user may have destroyed it and made the next one of
// the slot, which by now is everybody's: nobody waits for this call then, so it must look at the handle again.
inline bool note_use(SlotBase &slot, uint64_t handle, uint32_t thread_id) noexcept {
    const uint32_t owner = slot.owner.load(std::memory_order_seq_cst);
    if (__builtin_expect(owner == thread_id, 1)) return true;
    if (owner != kEverybody) return share_slot(slot, handle);
    return slot.handle.load(std::memory_order_seq_cst) == handle;
}
inline bool note_counted_use(SlotBase &slot, uint64_t handle, uint32_t thread_id) noexcept {
    const uint32_t owner = slot.owner.load(std::memory_order_seq_cst);
    if (__builtin_expect(owner == thread_id, 1)) return true;
    if (owner != kEverybody) return share_counted_slot(slot, handle);
    return counted_slot_lives(slot, handle);
}

} // namespace gs
