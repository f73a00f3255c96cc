// SPDX-License-Identifier: Apache-2.0
// Of which streams the scanner has lanes, for the threads that add points. A point of such a stream cannot be reached before those
// that were recorded earlier, about which the scanner asks in time: the thread that adds it neither reads the clock nor wakes the
// scanner. If another thread has recorded later and come first, the scanner sees this one when it next wakes up, which it does soon.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace gs {

class LaneKeys {
public:
    // Any thread. False also where another lane has the place. Without an order of their own: who has put a point in has looked
    // whether the scanner sleeps, and a sleep that is seen is one that the ends of lanes precede (model added_behind_a_lane).
    bool has(uint64_t key) const noexcept {
        return key != 0 && keys_[place_of(key)].load(std::memory_order_relaxed) == key;
    }

    // The scanner. The first of several lanes of a stream that ends takes the key with it; the next point then wakes the scanner.
    void add(uint64_t key) noexcept {
        std::atomic<uint64_t> &place = keys_[place_of(key)];
        if (place.load(std::memory_order_relaxed) == 0) place.store(key, std::memory_order_relaxed);
    }
    void remove(uint64_t key) noexcept {
        std::atomic<uint64_t> &place = keys_[place_of(key)];
        if (place.load(std::memory_order_relaxed) == key) place.store(0, std::memory_order_relaxed);
    }

private:
    static constexpr uint32_t kBits = 9;
    static size_t place_of(uint64_t key) noexcept { return (key * 0x9E3779B97F4A7C15u) >> (64 - kBits); }
    alignas(64) std::atomic<uint64_t> keys_[1u << kBits] = {};
};

} // namespace gs
