// SPDX-License-Identifier: Apache-2.0
// The random state of each device: a key and an offset, of which kernels' reservations take their part.
//
// Reservations take no lock: they add to the offset, and look whether a new state was set in between. One that was overtaken
// begins again, and what it had added to the new offset is skipped.
#pragma once

#include "core/device/device.hpp"

namespace gs {

struct RandomState {
    uint64_t seed;
    uint64_t offset;
};

inline constexpr uint64_t kDefaultRandomSeed = 67280421310721; // PyTorch's
inline constexpr uint64_t kRandomBlock = 4;                    // Philox makes four numbers at a time

// Kept as its difference from the default: the table then begins as zeros, which need no room in the library's file.
class RandomSeed {
public:
    uint64_t load(std::memory_order order) const noexcept { return difference_.load(order) ^ kDefaultRandomSeed; }
    void store(uint64_t seed, std::memory_order order) noexcept { difference_.store(seed ^ kDefaultRandomSeed, order); }

private:
    std::atomic<uint64_t> difference_{0};
};

struct alignas(64) RandomGenerator {
    std::atomic<uint32_t> version{0}; // odd while a new state is written
    RandomSeed seed;
    std::atomic<uint64_t> offset{0};
};
extern RandomGenerator g_random_generators[kMaxDevices] __attribute__((visibility("hidden"))); // by Device::index

constexpr uint64_t whole_blocks(uint64_t count) noexcept { return (count + kRandomBlock - 1) & ~(kRandomBlock - 1); }

void set_random_state(const Device &device, RandomState state) noexcept;
// Seed and offset of one moment.
RandomState random_state(const Device &device) noexcept;

// Where the next `numbers` begin, which are whole blocks.
inline RandomState reserve_random(const Device &device, uint64_t numbers) noexcept {
    RandomGenerator &generator = g_random_generators[device.index];
    for (;;) {
        const uint32_t version = generator.version.load(std::memory_order_acquire);
        const uint64_t seed = generator.seed.load(std::memory_order_acquire);
        const uint64_t offset = generator.offset.fetch_add(numbers, std::memory_order_acq_rel);
        const bool same = generator.version.load(std::memory_order_relaxed) == version;
        if (same && version % 2 == 0) return {seed, offset};
    }
}

} // namespace gs
