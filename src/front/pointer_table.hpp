// SPDX-License-Identifier: Apache-2.0
// A word for each address of the driver's objects, without a lock. What was put in stays: the driver uses addresses again.
#pragma once

#include <sys/mman.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace gs::front {

class PointerTable {
public:
    static constexpr size_t kPlaces = size_t{1} << 16;

    // nullptr: no room is left. If `add` is false also: the key is new.
    std::atomic<uint64_t> *find(uint64_t key, bool add) noexcept {
        Place *places = places_.load(std::memory_order_acquire);
        if (!places && !(places = make())) return nullptr;
        for (size_t i = 0, at = key * 0x9E3779B97F4A7C15 >> 48; i < kLongestSearch; ++i, at = (at + 1) % kPlaces) {
            uint64_t present = places[at].key.load(std::memory_order_acquire);
            if (present == 0 && !add) return nullptr;
            if (present == 0) places[at].key.compare_exchange_strong(present, key, std::memory_order_acq_rel);
            if (present == 0 || present == key) return &places[at].word;
        }
        return nullptr;
    }
    template <typename Function>
    void for_each(Function &&function) noexcept {
        Place *places = places_.load(std::memory_order_acquire);
        for (size_t i = 0; places && i < kPlaces; ++i)
            if (const uint64_t key = places[i].key.load(std::memory_order_acquire)) function(key, places[i].word);
    }

private:
    static constexpr size_t kLongestSearch = 64;
    struct Place {
        std::atomic<uint64_t> key, word;
    };
    // Memory of the system's is zero, and takes room where it is used only.
    Place *make() noexcept {
        const size_t bytes = kPlaces * sizeof(Place);
        void *memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED) return nullptr;
        Place *first = nullptr;
        if (places_.compare_exchange_strong(first, static_cast<Place *>(memory), std::memory_order_acq_rel))
            return static_cast<Place *>(memory);
        munmap(memory, bytes);
        return first;
    }
    std::atomic<Place *> places_{nullptr};
};

} // namespace gs::front
