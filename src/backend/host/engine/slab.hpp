// SPDX-License-Identifier: Apache-2.0
// Type-stable objects. The memory of a T stays memory of a T. So a number can be compared with the addresses of live
// objects: all that is read for it is valid memory.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

#include "base/free_list.hpp"
#include "base/lock.hpp"

namespace gs::host {

// T is default constructible once, and has `std::atomic<uint32_t> live` and `T *slab_next`.
template <typename T>
class Slab {
public:
    // A slot in the state its last user left it, live set; nullptr when memory is out.
    T *take() noexcept {
        MutexLock lock(mutex_);
        if (free_.empty() && !grow()) return nullptr;
        T *slot = free_.pop();
        slot->live.store(1, std::memory_order_release);
        return slot;
    }

    void give_back(T *slot) noexcept {
        slot->live.store(0, std::memory_order_release);
        MutexLock lock(mutex_);
        free_.push(*slot);
    }

    // nullptr unless the word is the address of a live object.
    T *find(uintptr_t word) const noexcept {
        for (const Chunk *chunk = chunks_.load(std::memory_order_acquire); chunk; chunk = chunk->next) {
            const auto first = reinterpret_cast<uintptr_t>(chunk->slots);
            if (word < first || word >= first + chunk->count * sizeof(T)) continue;
            if ((word - first) % sizeof(T) != 0) return nullptr;
            T *slot = chunk->slots + (word - first) / sizeof(T);
            return slot->live.load(std::memory_order_acquire) ? slot : nullptr;
        }
        return nullptr;
    }

private:
    struct Chunk {
        Chunk *next;
        T *slots;
        size_t count;
    };
    static constexpr size_t kSmallest = 32, kLargest = 4096;

    bool grow() noexcept GS_REQUIRES(mutex_) {
        Chunk *newest = chunks_.load(std::memory_order_relaxed);
        const size_t count = newest ? (newest->count < kLargest ? newest->count * 2 : kLargest) : kSmallest;
        auto *chunk = new (std::nothrow) Chunk;
        T *slots = chunk ? new (std::nothrow) T[count] : nullptr;
        if (!slots) {
            delete chunk;
            return false;
        }
        for (size_t i = count; i-- > 0;) free_.push(slots[i]);
        *chunk = {newest, slots, count};
        chunks_.store(chunk, std::memory_order_release);
        return true;
    }

    Mutex mutex_;
    FreeList<T, &T::slab_next> free_ GS_GUARDED_BY(mutex_);
    std::atomic<Chunk *> chunks_{nullptr};
};

} // namespace gs::host
